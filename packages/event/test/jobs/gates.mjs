// @ts-check A thread that opens a gate for each version of a plain word, and threads that pass the gates.
import { Arena, Region } from '@sluice/core';
import { ManualResetEvent } from '@sluice/event';

/** @import { ArenaHandle, RegionHandle } from '@sluice/core' */
/** @import { ManualResetEventHandle } from '@sluice/event' */
/** @import { JobContext } from '@sluice/harness' */

/** Distance in words, so that no two threads share a cache line. */
export const LINE = 32;

/** @typedef {'blocking' | 'patient' | 'async'} Way */
/**
 * @typedef {object} GatesData
 * @property {ArenaHandle} arena
 * @property {ManualResetEventHandle[]} gates two, which take turns
 * @property {RegionHandle} words what is published, then how far each follower is
 * @property {Way[]} ways
 * @property {number} rounds
 */

/** @param {GatesData} data */
function open({ arena, gates, words }) {
  Arena.from(arena);
  return { gates: gates.map((handle) => ManualResetEvent.from(handle)), words: Region.from(words).int32 };
}

/**
 * Publishes each version, and opens the gate of its round after all followers have passed the previous gate.
 * @param {GatesData} data
 */
export function publish(data) {
  const { gates, words } = open(data);
  for (let round = 1; round <= data.rounds; round++) {
    for (const follower of data.ways.keys())
      while (Atomics.load(words, (follower + 1) * LINE) < round - 1)
        Atomics.wait(words, (follower + 1) * LINE, round - 2, 1);
    gates[(round + 1) % 2]?.reset();
    words[0] = round;
    gates[round % 2]?.set();
  }
}

/** @param {GatesData} data @param {JobContext} context */
export async function follow(data, { index }) {
  const { gates, words } = open(data);
  let tries = 0;
  for (let round = 1; round <= data.rounds; round++) {
    const gate = gates[round % 2];
    if (gate === undefined) throw new Error('no gate for this round');
    if (data.ways[index] === 'async') await gate.waitAsync();
    else if (data.ways[index] === 'patient') while (!gate.tryWait(0.01)) tries += 1;
    else gate.wait();
    const seen = words[0];
    if (seen !== round) throw new Error(`follower ${index} passed the gate of round ${round} and saw ${seen}`);
    Atomics.store(words, (index + 1) * LINE, round);
    Atomics.notify(words, (index + 1) * LINE);
  }
  return tries;
}
