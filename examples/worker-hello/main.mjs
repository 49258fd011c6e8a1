import { Region, Semaphore, spawn } from 'sluice';

const lock = Semaphore.create(1);
const counter = Region.create(4);

const url = new URL('./worker.mjs', import.meta.url);
const workers = [1, 2, 3, 4].map(() => spawn(url, { data: { lock, counter } }));

await lock.runAsync(() => console.log('the main thread sees', counter.int32[0])); // Never blocks the event loop.
await Promise.all(workers.map(({ ended }) => ended));
console.log('in the end', counter.int32[0]); // 4000
