// @ts-check
// A worker waits for a flag. The main thread sets it when a line comes on stdin, and does not notify.
import { once } from 'node:events';
import { stdin } from 'node:process';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

async function main() {
  const words = new Int32Array(new SharedArrayBuffer(4));
  new Worker(new URL(import.meta.url), { workerData: words, name: 'waiter' });
  await once(stdin, 'data');
  Atomics.store(words, 0, 1);
  console.log('set');
}

if (isMainThread) void main();
else Atomics.wait(workerData, 0, 0);
