// @ts-check
// One worker waits until a line comes on stdin, another one for as long as a timeout lasts that ends after that.
import { once } from 'node:events';
import { stdin } from 'node:process';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** @type {{ words: Int32Array, timeout: number }} */
const data = workerData;

async function main() {
  const words = new Int32Array(new SharedArrayBuffer(4));
  const start = (/** @type {number} */ timeout) =>
    new Worker(new URL(import.meta.url), { workerData: { words, timeout } });
  const notified = start(Infinity);
  await once(stdin, 'data');
  // The wait has been in a page, so it has begun.
  Atomics.notify(words, 0);
  console.log((await once(notified, 'message'))[0]);
  const timed = start(700);
  console.log((await once(timed, 'message'))[0]);
  stdin.destroy();
}

if (isMainThread) void main();
else parentPort?.postMessage(Atomics.wait(data.words, 0, 0, data.timeout));
