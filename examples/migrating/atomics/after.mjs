import { Mutex } from 'sluice';
import { once } from 'node:events';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const mutex = isMainThread ? Mutex.create({ name: 'words' }) : Mutex.from(workerData.mutex);
const words = isMainThread ? new Int32Array(new SharedArrayBuffer(8)) : workerData.words;

if (isMainThread) {
  const workers = [1, 2].map(
    () => new Worker(new URL(import.meta.url), { workerData: { words, mutex: mutex.handle } }),
  );
  for (const worker of workers) mutex.arena.watch(worker);
  await Promise.all(workers.map((worker) => once(worker, 'exit')));
  console.log(words[1]);
} else {
  for (let n = 0; n < 1000; n++) mutex.run(() => (words[1] += 1));
}
