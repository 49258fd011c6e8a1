import { Piscina } from 'piscina';

const pool = new Piscina({
  filename: new URL('./tasks.mjs', import.meta.url).href,
  minThreads: 2,
  maxThreads: 2,
  maxQueue: 100,
});

const counts = await Promise.all([10, 1000, 10_000].map((below) => pool.run(below)));
console.log(counts.join(' '));

const bytes = new Uint8Array(1000).fill(3);
console.log(await pool.run(bytes, { name: 'checksum', transferList: [bytes.buffer] }));

const failure = await pool.run(undefined, { name: 'forever', signal: AbortSignal.timeout(50) }).catch(() => 'aborted');
console.log(failure);

console.log(pool.utilization <= 1);
await pool.close();
