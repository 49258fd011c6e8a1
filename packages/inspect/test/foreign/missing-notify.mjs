// @ts-check
// A worker waits for a flag. The main thread sets it and does not notify.
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

async function main() {
  const words = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL(import.meta.url), { workerData: words, name: 'waiter' });
  await once(worker, 'message');
  // Until the worker waits: a notify of none would wake none.
  const look = setInterval(() => {
    if (Atomics.notify(words, 0, 0) !== 0) return;
    clearInterval(look);
    Atomics.store(words, 0, 1);
  }, 300);
}

if (isMainThread) void main();
else {
  parentPort?.postMessage('waits');
  Atomics.wait(workerData, 0, 0);
}
