import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { SharedCache } from './cache.mjs';

const KEYS = 50;

/** @param {number} key */
const compute = (key) => `the square of ${key} is ${key * key}`; // stands for something slow

if (isMainThread) {
  const cache = SharedCache.create(256);
  const workers = [1, 2, 3].map(() => new Worker(new URL(import.meta.url), { workerData: cache.handle }));
  const counts = await Promise.all(workers.map((worker) => once(worker, 'message')));
  const computed = counts.flat().reduce((sum, count) => sum + Number(count), 0);
  console.log(`3000 lookups; most found what another thread had computed: ${computed <= 3 * KEYS}`);
  console.log(cache.get(12));
} else {
  const cache = SharedCache.from(workerData);
  let computed = 0;
  for (let n = 0; n < 1000; n++) {
    const key = 1 + (n % KEYS);
    let text = cache.get(key);
    if (text === undefined) {
      text = compute(key); // outside the lock: other threads go on meanwhile
      cache.set(key, text);
      computed += 1;
    }
    if (text !== compute(key)) throw new Error(`wrong entry for ${key}: ${text}`);
  }
  parentPort?.postMessage(computed);
}
