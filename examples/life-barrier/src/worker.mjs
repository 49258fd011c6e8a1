import { addressSignal, SharedWord } from '@sluice/address-wait';
import { Barrier } from '@sluice/barrier';
import { hasCode, Region } from '@sluice/core';
import { workerData } from 'node:worker_threads';
import { step } from './life.mjs';

/**
 * @typedef {object} Share
 * @property {import('@sluice/barrier').BarrierHandle} barrier
 * @property {import('@sluice/address-wait').SharedWordHandle} done
 * @property {import('@sluice/core').RegionHandle} boards
 * @property {number} size
 * @property {number} generations
 * @property {number} workers
 * @property {number} worker from 0
 */

const share = /** @type {Share} */ (workerData);
const { size, generations, workers, worker } = share;

const done = SharedWord.from(share.done);
const barrier = Barrier.from(share.barrier, {
  // Runs once in each generation, on the thread that finished last, before any worker begins the next one.
  action() {
    done.add(1); // first the change that the main thread waits for
    addressSignal(done); // then the signal
  },
});
// From here on the death of this worker breaks the barrier, also while it computes.
barrier.claim();

const bytes = Region.from(share.boards).bytes;
const halves = [bytes.subarray(0, size * size), bytes.subarray(size * size, 2 * size * size)];
const [begin, end] = [Math.floor((size * worker) / workers), Math.floor((size * (worker + 1)) / workers)];

try {
  for (let generation = 0; generation < generations; generation++) {
    const [from, to] = generation % 2 === 0 ? halves : [halves[1], halves[0]];
    if (from === undefined || to === undefined) break;
    step(from, to, size, begin, end);
    // No worker reads the new board, or overwrites the old one, before all have finished this generation.
    barrier.wait();
  }
} catch (error) {
  // Another worker died: its rows of this generation will never be there.
  if (!hasCode(error, 'SLUICE_BROKEN_BARRIER')) throw error;
}
