// The same requests twice: with a limit in each worker, and with one limit for all.
import { Arena, Semaphore } from '@sluice/core';
import { createLimit } from '@sluice/limit';
import { Worker } from 'node:worker_threads';
import * as report from './report.mjs';
import { CountingServer } from './server.mjs';

/** @typedef {{ url: string, requests: number, most: number, shared: import('@sluice/limit').LimitHandle | undefined,
 *   ready: import('@sluice/core').SemaphoreHandle, start: import('@sluice/core').SemaphoreHandle }} Job */
/** @typedef {{ most: number, answered: number, seconds: number }} Outcome */

/**
 * Returns whether the shared limit held, and every request was answered.
 * @param {import('./options.mjs').Options} options
 * @param {AbortSignal} signal
 */
export async function run(options, signal) {
  report.header(options);
  const server = new CountingServer(options.delay);
  try {
    const url = await server.listen();
    const own = await runWorkers(options, server, url, undefined, signal);
    if (!signal.aborted) report.outcome(`p-limit(${options.limit}) in each worker`, own);
    const limit = createLimit(options.limit, { name: 'requests' });
    const shared = await runWorkers(options, server, url, limit.handle, signal);
    if (signal.aborted) {
      report.interrupted();
      return true;
    }
    report.outcome(`one limit of ${options.limit}`, shared);
    return report.check(options, own, shared);
  } finally {
    server.close();
  }
}

/**
 * @param {import('./options.mjs').Options} options
 * @param {CountingServer} server
 * @param {string} url
 * @param {import('@sluice/limit').LimitHandle | undefined} shared
 * @param {AbortSignal} signal
 * @returns {Promise<Outcome>}
 */
async function runWorkers({ workers, limit, requests }, server, url, shared, signal) {
  // A limit in each worker lets that many requests start before the first answer.
  server.reset((shared === undefined ? workers : 1) * Math.min(limit, requests));
  const ready = Semaphore.create(0, { recovery: false });
  const start = Semaphore.create(0, { recovery: false });
  /** @type {Job} */
  const workerData = { url, requests, most: limit, shared, ready: ready.handle, start: start.handle };
  const group = Array.from(
    { length: workers },
    () => new Worker(new URL('./worker.mjs', import.meta.url), { workerData }),
  );
  for (const worker of group) Arena.default().watch(worker);
  const stop = () => void Promise.all(group.map((worker) => worker.terminate()));
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  const ends = Promise.all(group.map(endOf));
  // Workers that were stopped never become ready.
  await Promise.race([ready.acquireAsync(workers, { signal }).catch(() => undefined), ends]);
  const began = performance.now();
  start.release(workers);
  await ends;
  signal.removeEventListener('abort', stop);
  return { most: server.most, answered: server.answered, seconds: (performance.now() - began) / 1000 };
}

/** @param {Worker} worker */
function endOf(worker) {
  return new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject));
}
