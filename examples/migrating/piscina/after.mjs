import { WorkerPool } from 'sluice';

const pool = new WorkerPool({
  filename: new URL('./tasks.mjs', import.meta.url).href,
  minThreads: 2,
  maxThreads: 2,
  maxQueue: 100,
});

const counts = await pool.map([10, 1000, 10_000]);
console.log(counts.join(' '));

const bytes = new Uint8Array(1000).fill(3);
console.log(await pool.run(bytes, { name: 'checksum', transferList: [bytes.buffer] }));

const failure = await pool.run(undefined, { name: 'forever', signal: AbortSignal.timeout(50) }).catch(() => 'aborted');
console.log(failure);

console.log(pool.stats().utilization <= 1);
await pool.close();
