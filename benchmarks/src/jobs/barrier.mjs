// @ts-check
// How many generations a second some threads go through at a barrier, with nothing between two of them.
import { Worker } from 'node:worker_threads';
import { main } from '../lib/jobs.mjs';
import { loadSubject } from '../subjects/subject.mjs';

/**
 * @typedef {object} BarrierSpecification
 * @property {import('../subjects/subject.mjs').SubjectName} subject
 * @property {number} threads
 * @property {number} seconds
 * @property {number} warmUpSeconds
 */

/** @typedef {{ generationsPerSecond: number, cpuMicrosPerGeneration: number }} BarrierResult */

await main(async (/** @type {BarrierSpecification} */ { subject, threads, seconds, warmUpSeconds }) => {
  const handle = (await loadSubject(subject)).create({ parties: threads });
  const stop = new SharedArrayBuffer(4);
  const workers = Array.from(
    { length: threads },
    (_, worker) =>
      new Worker(new URL('../workers/barrier.mjs', import.meta.url), {
        workerData: { subject, handle, stop, worker, seconds, warmUpSeconds },
      }),
  );
  /** @type {Promise<BarrierResult>} */
  const result = new Promise((resolve, reject) => {
    for (const worker of workers) worker.once('error', reject);
    workers[0]?.once('message', resolve);
  });
  return await result;
});
