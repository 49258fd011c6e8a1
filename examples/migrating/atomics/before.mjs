import { once } from 'node:events';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const [FREE, LOCKED, CONTENDED] = [0, 1, 2];
const words = isMainThread ? new Int32Array(new SharedArrayBuffer(8)) : workerData.words;

function lock() {
  if (Atomics.compareExchange(words, 0, FREE, LOCKED) === FREE) return;
  while (Atomics.exchange(words, 0, CONTENDED) !== FREE) Atomics.wait(words, 0, CONTENDED);
}

function unlock() {
  if (Atomics.exchange(words, 0, FREE) === CONTENDED) Atomics.notify(words, 0, 1);
}

if (isMainThread) {
  const workers = [1, 2].map(() => new Worker(new URL(import.meta.url), { workerData: { words } }));
  await Promise.all(workers.map((worker) => once(worker, 'exit')));
  console.log(words[1]);
} else {
  for (let n = 0; n < 1000; n++) {
    lock();
    try {
      words[1] += 1;
    } finally {
      unlock();
    }
  }
}
