// @ts-check
// Uses each of the functions that `why` changes, and ends with an exit code of its own.
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

class OwnWorker extends Worker {}

async function main() {
  const words = new BigInt64Array(new SharedArrayBuffer(8));
  const worker = new OwnWorker(new URL(import.meta.url), { workerData: words });
  const [outcome] = await once(worker, 'message');
  if (!(worker instanceof Worker) || worker.constructor !== OwnWorker) throw new Error('the class of the worker');
  const numbers = new Int32Array(2);
  Atomics.add(numbers, 0, 1);
  Atomics.exchange(numbers, 1, 5);
  Atomics.sub(numbers, 1, 3);
  console.log(outcome, numbers[0], numbers[1], Number(words[0]));
  process.exitCode = 7;
}

if (isMainThread) void main();
else {
  const words = /** @type {BigInt64Array<SharedArrayBuffer>} */ (workerData);
  const awaited = Atomics.waitAsync(words, 0, 0n);
  Atomics.compareExchange(words, 0, 0n, 3n);
  Atomics.notify(words, 0);
  void Promise.resolve(awaited.value).then((outcome) => parentPort?.postMessage(outcome));
}
