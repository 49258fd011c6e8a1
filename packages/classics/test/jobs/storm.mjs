// @ts-check A storm: locks and unlocks in every way, with many timeouts. The main thread takes part too.
import { Arena, Region } from '@sluice/core';
import { jsEngine } from '@sluice/core/js';
import { jsClassicLocks } from '@sluice/classics/js';
import { openLock } from './kinds.mjs';
import { START, Visitor } from './visitor.mjs';

/** @import { ArenaHandle, Engine, RegionHandle } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { LockHandle } from './kinds.mjs' */
/** @import { Way } from './visitor.mjs' */

/** A word behind the words of the lock: the number of tasks that have done their rounds. */
export const DONE = 16;

/**
 * @typedef {object} StormData
 * @property {ArenaHandle} arena
 * @property {Engine | undefined} engine
 * @property {LockHandle} lock
 * @property {RegionHandle} words
 * @property {number} rounds of each task
 * @property {Way[]} ways
 * @property {number} tasks async tasks at the same time
 * @property {number} lasting percentage of visits that last a while
 * @property {number} until continues until so many tasks have done their rounds: none of them may starve
 */
/** @typedef {{ calls: number, gaveUp: number, entered: number }} StormResult */

/**
 * Throws if there are two owners.
 * @param {StormData} data
 * @param {JobContext} context
 * @returns {Promise<StormResult>}
 */
export async function storm(data, { random, say }) {
  const place = Arena.from(data.arena, { engine: data.engine === 'js' ? jsEngine.with(jsClassicLocks) : undefined });
  if (place.engine !== (data.engine ?? place.engine))
    throw new Error(`The engine is ${place.engine}, not ${data.engine}.`);
  const words = Region.from(data.words).int32;
  const visitor = new Visitor(openLock(data.lock), words, 0, random, data.lasting);
  let calls = 0;
  const task = async () => {
    const dice = random.fork();
    const visit = async () => {
      calls += 1;
      await visitor.visit(dice.pick(data.ways));
      if (data.tasks > 1 && dice.chance(10)) await new Promise((resolve) => setImmediate(resolve));
    };
    for (let round = 0; round < data.rounds; round++) await visit();
    Atomics.add(words, DONE, 1);
    while (Atomics.load(words, DONE) < data.until) await visit();
  };
  say('ready');
  Atomics.wait(words, START, 0);
  await Promise.all(Array.from({ length: data.tasks }, task));
  return { calls, gaveUp: visitor.gaveUp, entered: visitor.entered };
}
