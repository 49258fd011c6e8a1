// @ts-check
import { createLimit } from '@sluice/limit';
import { Worker } from 'node:worker_threads';
import { main } from '../lib/jobs.mjs';

/**
 * @typedef {{ subject: 'p-limit' | 'sluice' | 'adaptive' | 'shedding', workers: number, concurrency: number, calls: number, batch: number }}
 *   LimitSpecification
 */
/** @typedef {{ perSecond: number }} LimitResult */

/** A limit that may not change its size costs what one does that may. */
const OPTIONS = {
  sluice: (/** @type {number} */ concurrency) => ({ concurrency }),
  adaptive: (/** @type {number} */ concurrency) => ({ adaptive: { min: concurrency, max: concurrency } }),
  shedding: (/** @type {number} */ concurrency, /** @type {number} */ maxWaiting) => ({ concurrency, maxWaiting }),
};

await main(measure);

/** @param {LimitSpecification} specification @returns {Promise<LimitResult>} */
async function measure({ subject, workers: count, concurrency, calls, batch }) {
  const limit = subject === 'p-limit' ? undefined : createLimit(OPTIONS[subject](concurrency, batch));
  const gate = new SharedArrayBuffer(8);
  const assignment = { handle: limit?.handle, concurrency, calls: Math.ceil(calls / count), batch, gate };
  const workers = Array.from(
    { length: count },
    () => new Worker(new URL('../workers/limit.mjs', import.meta.url), { workerData: assignment }),
  );
  const ends = workers.map(
    (worker) => new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject)),
  );
  const word = new Int32Array(gate);
  while (Atomics.load(word, 0) < count) await new Promise((resolve) => setTimeout(resolve, 5));
  const began = performance.now();
  Atomics.store(word, 1, 1);
  Atomics.notify(word, 1);
  const ran = /** @type {number[]} */ (await Promise.all(ends)).reduce((all, one) => all + one, 0);
  const seconds = (performance.now() - began) / 1000;
  if (ran !== assignment.calls * count) throw new Error(`${assignment.calls * count} calls were made, ${ran} ran`);
  return { perSecond: ran / seconds };
}
