// @ts-check
// Two workers take two locks of their own making in different orders, each in the middle of the other.
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { lock } from './lock.mjs';

/** @type {{ words: Int32Array, first: number, second: number }} */
const data = workerData;

if (isMainThread) {
  // Locks at 0 and 1, and the number of workers that have their first lock.
  const words = new Int32Array(new SharedArrayBuffer(12));
  const start = (/** @type {number} */ first, /** @type {number} */ second) =>
    new Worker(new URL(import.meta.url), { workerData: { words, first, second } });
  start(0, 1);
  start(1, 0);
} else {
  const { words, first, second } = data;
  lock(words, first);
  Atomics.add(words, 2, 1);
  while (Atomics.load(words, 2) < 2);
  lock(words, second);
}
