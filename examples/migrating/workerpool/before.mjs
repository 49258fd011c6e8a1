import workerpool from 'workerpool';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('./tasks-before.mjs', import.meta.url));
const pool = workerpool.pool(file, { maxWorkers: 2, workerType: 'thread' });

const counts = await Promise.all([10, 1000, 10_000].map((below) => pool.exec('countPrimes', [below])));
console.log(counts.join(' '));

const failure = await pool
  .exec('forever')
  .timeout(50)
  .catch(() => 'timed out');
console.log(failure);

const refused = await pool.exec('divide', [{ of: 1, by: 0 }]).catch((/** @type {unknown} */ error) => String(error));
console.log(refused);
await pool.terminate();
