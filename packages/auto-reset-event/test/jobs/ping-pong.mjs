// @ts-check
// Two workers that take turns, each woken by the other.
import { AutoResetEvent } from '@sluice/auto-reset-event';
import { Region } from '@sluice/core';

/** @import { RegionHandle } from '@sluice/core' */
/** @import { AutoResetEventHandle } from '@sluice/auto-reset-event' */

/**
 * @typedef {object} PingPongData
 * @property {AutoResetEventHandle} mine
 * @property {AutoResetEventHandle} theirs
 * @property {RegionHandle} words the first is the number of the turn, a plain write of the worker that has it
 * @property {number} rounds
 * @property {number} parity of its own turns
 * @property {'blocking' | 'patient' | 'async'} way
 */

/** Returns the number of timeouts. @param {PingPongData} data */
export async function takeTurns({ mine, theirs, words: region, rounds, parity, way }) {
  const [own, other] = [AutoResetEvent.from(mine), AutoResetEvent.from(theirs)];
  const words = Region.from(region).int32;
  let tries = 0;
  for (let round = 0; round < rounds; round++) {
    if (way === 'blocking') own.wait();
    else if (way === 'async') await own.waitAsync();
    else while (!own.tryWait(0.01)) tries += 1;
    const turn = words[0] ?? -1;
    if (turn !== 2 * round + parity) throw new Error(`turn ${turn} came instead of ${2 * round + parity}`);
    words[0] = turn + 1;
    other.signal();
  }
  return tries;
}
