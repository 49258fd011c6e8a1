// One run of the job, from the first worker's start to the last one's end.
import { Arena } from '@sluice/core';
import { Worker } from 'node:worker_threads';
import { createJob, STOP, TALLY } from './job.mjs';
import { startBars } from './bars.mjs';

const LOOK_EVERY_MS = 100;

/**
 * @typedef {{ wrapping: import('./options.mjs').Wrapping, counts: number[], seconds: number, exact: boolean }} Outcome
 */

/**
 * @param {{ lock: import('./options.mjs').Options['lock'], wrapping: import('./options.mjs').Wrapping, workers: number,
 *   seconds: number, bars: boolean, signal: AbortSignal }} options
 * @returns {Promise<Outcome>}
 */
export async function run({ lock, wrapping, workers, seconds, bars, signal }) {
  const job = createJob(lock, wrapping, workers);
  const ends = Array.from({ length: workers }, (_, index) => startWorker(job.handles, index));
  await job.ready.acquireAsync(workers);
  const view = startBars(nameOf(wrapping), workers, bars);
  const began = performance.now();
  job.start.release(workers);
  await look(job.counts, view, began + 1000 * seconds, signal);
  const took = (performance.now() - began) / 1000;
  const counts = [...job.counts.subarray(0, workers)];
  job.shared[STOP] = 1;
  await Promise.all(ends);
  view.stop();
  const done = job.counts.subarray(0, workers).reduce((sum, count) => sum + count, 0);
  return { wrapping, counts, seconds: took, exact: job.shared[TALLY] === done };
}

/** @param {import('./options.mjs').Wrapping} wrapping */
export function nameOf(wrapping) {
  return typeof wrapping === 'number' ? `B = ${wrapping}` : wrapping;
}

/**
 * @param {object} handles
 * @param {number} index
 */
function startWorker(handles, index) {
  const worker = new Worker(new URL('worker.mjs', import.meta.url), { workerData: { handles, index } });
  Arena.default().watch(worker);
  return new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject));
}

/**
 * Shows the counts until the time has passed, or the user interrupts.
 * @param {Float64Array} counts
 * @param {{ show(counts: Float64Array): void }} view
 * @param {number} until
 * @param {AbortSignal} signal
 */
async function look(counts, view, until, signal) {
  while (!signal.aborted && performance.now() < until) {
    const pause = Math.min(LOOK_EVERY_MS, until - performance.now());
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, pause)));
    view.show(counts);
  }
}
