import { CountdownLatch, Region } from 'sluice';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const WORKERS = 3;
const LENGTH = 30_000;
const BUCKETS = 10;

const shared = isMainThread ? Region.create((LENGTH + WORKERS * BUCKETS) * 4) : Region.from(workerData.shared);
const numbers = shared.int32.subarray(0, LENGTH);
/** @param {number} part the counts of one worker: no other thread writes there */
const countsOf = (part) => shared.int32.subarray(LENGTH + part * BUCKETS, LENGTH + (part + 1) * BUCKETS);

if (isMainThread) {
  for (let n = 0; n < LENGTH; n++) numbers[n] = (n * 7) % BUCKETS;
  const counted = CountdownLatch.create(WORKERS, { name: 'counted' });
  for (let part = 0; part < WORKERS; part++) {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { part, shared: shared.handle, counted: counted.handle },
    });
    counted.arena.watch(worker);
  }
  await counted.waitAsync({ timeout: 60_000 });
  const total = new Int32Array(BUCKETS);
  for (let part = 0; part < WORKERS; part++)
    countsOf(part).forEach((count, bucket) => (total[bucket] = (total[bucket] ?? 0) + count));
  console.log(total.join(' '));
} else {
  const { part } = workerData;
  const counted = CountdownLatch.from(workerData.counted);
  counted.claim(); // if this worker dies, its recovery counts down for it
  const counts = countsOf(part);
  const size = LENGTH / WORKERS;
  for (const number of numbers.subarray(part * size, (part + 1) * size)) counts[number] = (counts[number] ?? 0) + 1;
  counted.done(); // publishes the counts
}
