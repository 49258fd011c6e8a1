import { WorkerPool } from 'sluice';

const pool = new WorkerPool({ filename: new URL('./tasks.mjs', import.meta.url).href, minThreads: 2, maxThreads: 2 });

const counts = await pool.map([10, 1000, 10_000]);
console.log(counts.join(' '));

const bytes = new Uint8Array(1000).fill(3);
console.log(await pool.run(bytes, { name: 'checksum' }));

const pending = [1, 2, 3, 4].map(() => pool.run(undefined, { name: 'forever' }).catch(() => 'cancelled'));
pool.cancelPending();
await pool.destroy(); // also ends the tasks that run
console.log((await Promise.all(pending)).join(', '));
