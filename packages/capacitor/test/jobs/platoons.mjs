// @ts-check Workers that go in and out of a capacitor, and record it.
import { enterLock } from '../../../core/test/jobs/lock-ways.mjs';
import { asLock, openGate } from './gates.mjs';

/** @import { JobContext } from '@sluice/harness' */
/** @import { LockWay } from '../../../core/test/jobs/lock-ways.mjs' */
/** @import { AnyGateHandle } from './gates.mjs' */

/**
 * Words: a start signal, the length of the stream, the number of agents inside, and the last agent that went in (a
 * plain word).
 */
export const START = 0;
export const LENGTH = 1;
export const INSIDE = 2;
export const LAST = 3;
export const WORDS = 4;

/**
 * @typedef {object} MarchData
 * @property {AnyGateHandle} gate
 * @property {number} most so many may be inside
 * @property {Int32Array} words
 * @property {Int32Array} stream agents that go in, from 1; agents that go out, with a minus
 * @property {number} visits
 * @property {LockWay[]} ways
 */
/** @typedef {{ entered: number, gaveUp: number }} MarchResult */

/**
 * Throws if too many agents are inside.
 * @param {MarchData} data
 * @param {JobContext} context
 * @returns {Promise<MarchResult>}
 */
export async function march({ gate, most, words, stream, visits, ways }, { index, random, say }) {
  const door = asLock(openGate(gate));
  const me = index + 1;
  let gaveUp = 0;
  say('ready');
  Atomics.wait(words, START, 0);
  for (let entered = 0; entered < visits; ) {
    if (!(await enterLock(door, random.pick(ways), random))) {
      gaveUp += 1;
      continue;
    }
    entered += 1;
    stream[Atomics.add(words, LENGTH, 1)] = me;
    const others = Atomics.add(words, INSIDE, 1);
    if (others >= most) throw new Error(`${others} agents are inside already`);
    words[LAST] = me;
    if (random.chance(20)) for (let spin = random.below(200); spin > 0; spin--) Atomics.load(words, START);
    // Gives other agents time to come in.
    if (random.chance(2)) Atomics.wait(words, START, 1, 0.05);
    // A plain word: read only when no other agent may be inside.
    if (most === 1 && words[LAST] !== me) throw new Error(`${words[LAST]} came in while ${me} was inside`);
    Atomics.sub(words, INSIDE, 1);
    stream[Atomics.add(words, LENGTH, 1)] = -me;
    door.unlock();
  }
  return { entered: visits, gaveUp };
}
