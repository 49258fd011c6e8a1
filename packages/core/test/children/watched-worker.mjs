// @ts-check
// A worker that takes permits and then ends, or hangs, in the way that it is told.
import { Semaphore } from '@sluice/core';
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

/** @import { WatchedWorkerData } from '../support/watched-worker.ts' */

const { semaphore, copies, permits } = /** @type {WatchedWorkerData} */ (workerData);
const require = createRequire(import.meta.url);
/** @type {readonly { readonly Semaphore: typeof Semaphore }[]} */
const packages = copies === 2 ? [{ Semaphore }, require('../../dist/index.cjs')] : [{ Semaphore }];
const sems = packages.map((copy) => copy.Semaphore.from(semaphore));
const [sem] = sems;
if (sem === undefined) throw new Error('no semaphore');
for (const own of sems) own.acquire(permits);

/** @type {Record<string, () => unknown>} */
const ends = {
  'process.exit': () => process.exit(7),
  'an uncaught error': () => {
    throw new Error('thrown by the worker');
  },
  'its natural end': () => parentPort?.close(),
  'a blocking wait': () => sem.acquire(1000),
  'a loop without end': () => {
    for (;;);
  },
  'an async wait': () => void sem.acquireAsync(1000),
};

parentPort?.on('message', (/** @type {string} */ how) => {
  parentPort?.postMessage('begins');
  ends[how]?.();
});
parentPort?.postMessage(sems.map(({ arena }) => arena.agentId));
