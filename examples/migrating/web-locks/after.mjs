import { Region, RwLock } from 'sluice';
import { once } from 'node:events';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const region = isMainThread ? Region.create(4) : Region.from(workerData.counter);
const lock = isMainThread ? RwLock.create({ name: 'counter' }) : RwLock.from(workerData.lock);
const counter = region.int32;

if (isMainThread) {
  const workers = [1, 2].map(
    () => new Worker(new URL(import.meta.url), { workerData: { lock: lock.handle, counter: region.handle } }),
  );
  for (const worker of workers) lock.arena.watch(worker); // a lock that a killed worker holds is released
  await Promise.all(workers.map((worker) => once(worker, 'exit')));
  await lock.reader.runAsync(() => console.log(counter[0]));

  await lock.writer.runAsync(async () => {
    const free = lock.reader.tryLock();
    console.log(free);
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(new Error('gave up')), 20);
    const failure = await lock.reader.runAsync(() => undefined, { signal: cancel.signal }).catch(String);
    console.log(failure);
  });
} else {
  for (let n = 0; n < 500; n++) {
    lock.writer.run(() => {
      counter[0] = (counter[0] ?? 0) + 1;
    });
  }
}
