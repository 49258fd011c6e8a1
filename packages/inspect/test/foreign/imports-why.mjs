// @ts-check
// Loads `why` itself, before what it explains.
import '@sluice/inspect/why';
import { Worker } from 'node:worker_threads';

const words = new Int32Array(new SharedArrayBuffer(12));
for (const [first, second] of [
  [0, 1],
  [1, 0],
])
  new Worker(new URL('raw-locks.mjs', import.meta.url), { workerData: { words, first, second } });
