import { Mutex, Region, WorkerPool } from 'sluice';

const lock = Mutex.create();
const sum = Region.create(4);

const pool = new WorkerPool({ filename: new URL('./tasks.mjs', import.meta.url), size: 2 });
const results = await pool.map([1, 2].map(() => ({ lock: lock.handle, sum: sum.handle })));
console.log(results.join(' '));

await lock.runAsync(() => console.log(sum.int32[0]));
await pool.close();
