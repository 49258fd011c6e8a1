import { Region, Semaphore } from 'sluice';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const lock = Semaphore.create(1);
const counter = Region.create(4);

const workerData = { lockHandle: lock.handle, counterHandle: counter.handle };
const url = new URL('./worker.mjs', import.meta.url);
const workers = [1, 2, 3, 4].map(() => new Worker(url, { workerData }));

await lock.runAsync(() => console.log('the main thread sees', counter.int32[0])); // Never blocks the event loop.
await Promise.all(workers.map((worker) => once(worker, 'exit')));
console.log('in the end', counter.int32[0]); // 4000
