import { WorkerPool } from 'sluice';

const pool = new WorkerPool({ filename: new URL('./tasks-after.mjs', import.meta.url), size: 2 });

const counts = await pool.map([10, 1000, 10_000], { name: 'countPrimes' });
console.log(counts.join(' '));

const failure = await pool.run(undefined, { name: 'forever', timeout: 50 }).catch(() => 'timed out');
console.log(failure);

const refused = await pool
  .run({ of: 1, by: 0 }, { name: 'divide' })
  .catch((/** @type {unknown} */ error) => String(error));
console.log(refused);
await pool.close();
