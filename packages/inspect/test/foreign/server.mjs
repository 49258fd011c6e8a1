// @ts-check
// A worker ends with a lock. Another one waits for it.
import { once } from 'node:events';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { lock } from './lock.mjs';

async function main() {
  const words = new Int32Array(new SharedArrayBuffer(4));
  const holder = new Worker(new URL(import.meta.url), { workerData: words, name: 'holder' });
  await once(holder, 'exit');
  new Worker(new URL(import.meta.url), { workerData: words, name: 'waiter' });
}

if (isMainThread) void main();
else lock(workerData, 0);
