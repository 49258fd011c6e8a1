// @ts-check
// A worker blocks in an arena that only the worker has opened, while the main thread blocks elsewhere.
import { Arena, Semaphore } from '@sluice/core';
import { isMainThread, Worker } from 'node:worker_threads';

if (isMainThread) {
  // Raw words: no arena of the main thread.
  const word = new Int32Array(new SharedArrayBuffer(4));
  new Worker(new URL(import.meta.url));
  Atomics.wait(word, 0, 0);
} else {
  Semaphore.create(0, { arena: Arena.create({ maxPages: 4 }), name: 'jobs of a worker' }).acquire();
}
