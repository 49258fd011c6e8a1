import { CapacitorLock } from 'sluice';
import { once } from 'node:events';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { FutexLock } from './futex-lock.mjs';

const EACH = 5000;

if (isMainThread) {
  const words = new Int32Array(new SharedArrayBuffer(8)); // the lock's word, and what it protects
  const lock = CapacitorLock.create(new FutexLock(words), { bypassLimit: 4, name: 'tally' });
  const workers = [1, 2, 3].map(
    () => new Worker(new URL(import.meta.url), { workerData: { words, lock: lock.handle } }),
  );
  for (const worker of workers) lock.arena.watch(worker);
  await Promise.all(workers.map((worker) => once(worker, 'exit')));
  console.log(`${words[1]} of ${workers.length * EACH}`);
} else {
  const { words } = workerData;
  // Each thread has an object of its own around the other library's lock, and opens the capacitor in front of it.
  const lock = CapacitorLock.from(workerData.lock, new FutexLock(words));
  for (let n = 0; n < EACH; n++) lock.run(() => (words[1] += 1));
}
