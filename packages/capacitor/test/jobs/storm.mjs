// @ts-check
// A storm on a lock behind a capacitor. The main thread takes part too.
import { CapacitorLock } from '@sluice/capacitor';
import { Visitor } from '../../../classics/test/jobs/visitor.mjs';
import { MOOD, openInner } from './inner-locks.mjs';

/** @import { CapacitorLockHandle } from '@sluice/capacitor' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { LockHandle } from '../../../classics/test/jobs/kinds.mjs' */
/** @import { Way } from '../../../classics/test/jobs/visitor.mjs' */

/** The word of the third party's lock. */
export const PLAIN_LOCK = 16;

/**
 * @typedef {object} StormData
 * @property {CapacitorLockHandle} lock
 * @property {LockHandle | undefined} inner
 * @property {boolean} moody
 * @property {Int32Array} words
 * @property {number} rounds of each task
 * @property {Way[]} ways
 * @property {number} tasks async tasks at the same time
 */
/** @typedef {{ calls: number, gaveUp: number, entered: number, moods: number }} StormResult */

/**
 * Throws if two workers are inside. @param {StormData} data @param {JobContext} context @returns {Promise<StormResult>}
 */
export async function storm({ lock: handle, inner, moody, words, rounds, ways, tasks }, { random, say }) {
  const lock = CapacitorLock.from(handle, openInner(inner, moody, words, PLAIN_LOCK, random.fork()));
  const visitor = new Visitor(lock, words, 0, random, 10);
  let moods = 0;
  const task = async () => {
    const dice = random.fork();
    for (let round = 0; round < rounds; round++) {
      await visitor.visit(dice.pick(ways)).catch((/** @type {unknown} */ failure) => {
        if (!(failure instanceof Error) || failure.message !== MOOD) throw failure;
        moods += 1;
      });
      if (tasks > 1 && dice.chance(10)) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  say('ready');
  Atomics.wait(words, 0, 0);
  await Promise.all(Array.from({ length: tasks }, task));
  if (lock.owned) throw new Error('the worker ended with the lock');
  return { calls: rounds * tasks, gaveUp: visitor.gaveUp, entered: visitor.entered, moods };
}
