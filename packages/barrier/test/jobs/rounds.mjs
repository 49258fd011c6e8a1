// @ts-check A coordinator that starts rounds of work, and workers that write plain words in each of them. Two latches
// start the rounds in turn, and a third ends each round.
import { CountdownLatch } from '@sluice/barrier';
import { Arena, Region } from '@sluice/core';
import { jsEngine } from '@sluice/core/js';
import { jsBarrier } from '@sluice/barrier/js';

/** @import { ArenaHandle, Engine, RegionHandle } from '@sluice/core' */
/** @import { CountdownLatchHandle } from '@sluice/barrier' */
/** @import { JobContext } from '@sluice/harness' */

/** The words of each worker, in a cache line of its own, so that one may arrive late. */
export const LINE = 32;

/** @typedef {'blocking' | 'patient' | 'async'} Way */
/**
 * @typedef {object} RoundsData
 * @property {ArenaHandle} arena
 * @property {Engine} engine
 * @property {CountdownLatchHandle[]} starts
 * @property {CountdownLatchHandle} end
 * @property {RegionHandle} words
 * @property {Way[]} ways of the workers
 * @property {Way} way of the coordinator
 * @property {number} rounds
 */

/** @param {RoundsData} data */
function open({ arena, engine, starts, end, words }) {
  Arena.from(arena, { engine: engine === 'js' ? jsEngine.with(jsBarrier) : undefined });
  return {
    starts: starts.map((handle) => CountdownLatch.from(handle)),
    end: CountdownLatch.from(end),
    words: Region.from(words).int32,
  };
}

/** Returns the number of timeouts. @param {CountdownLatch} latch @param {Way | undefined} way */
async function wait(latch, way) {
  let tries = 0;
  if (way === 'blocking') latch.wait();
  else if (way === 'async') await latch.waitAsync();
  else while (!latch.tryWait(0.01)) tries += 1;
  if (way === 'patient') return tries;
  return 0;
}

/** @param {RoundsData} data */
export async function coordinate(data) {
  const { starts, end, words } = open(data);
  const { ways, way, rounds } = data;
  let tries = 0;
  for (let round = 1; round <= rounds; round++) {
    const start = starts[round % 2];
    if (start === undefined) throw new Error('no latch for the start of this round');
    start.done();
    tries += await wait(end, way);
    for (const index of ways.keys()) {
      if (words[index * LINE] !== round)
        throw new Error(`round ${round} has ended, but worker ${index} has written ${words[index * LINE]}`);
    }
    // All workers have passed it. It starts the round after the next.
    start.add();
    end.add(ways.length);
  }
  return tries;
}

/** @param {RoundsData} data @param {JobContext} context */
export async function work(data, { index }) {
  const { starts, end, words } = open(data);
  let tries = 0;
  for (let round = 1; round <= data.rounds; round++) {
    const start = starts[round % 2];
    if (start === undefined) throw new Error('no latch for the start of this round');
    tries += await wait(start, data.ways[index]);
    const before = words[index * LINE];
    if (before !== round - 1)
      throw new Error(`worker ${index} is in round ${round}, but its previous round was ${before}`);
    words[index * LINE] = round;
    end.done();
  }
  return tries;
}
