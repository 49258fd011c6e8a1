// @ts-check
// The main thread and a worker each wait for a word that nobody notifies.
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const words = isMainThread ? new Int32Array(new SharedArrayBuffer(8)) : workerData;
if (isMainThread) {
  new Worker(new URL(import.meta.url), { workerData: words, name: 'answerer' });
  Atomics.wait(words, 0, 0);
} else {
  Atomics.wait(words, 1, 0);
}
