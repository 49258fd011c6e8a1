// @ts-check
import { main } from '../lib/jobs.mjs';
import { openPool } from '../lib/pools.mjs';
import { quantileSorted } from '../lib/statistics.mjs';

/** @typedef {import('../lib/pools.mjs').PoolName} PoolName */
/**
 * @typedef {{ pool: PoolName, workers: number, tasks: number, micros: number, mixed: boolean, samples: number }}
 *   PoolSpecification
 */
/**
 * @typedef {{ perSecond: number, p50Micros: number, p99Micros: number, mebibytes: number, utilization: number }}
 *   PoolResult
 */

/** So many tasks are under way at a time: enough for every worker to find the next one. */
const UNDER_WAY = 256;

await main(measure);

/** @param {PoolSpecification} specification @returns {Promise<PoolResult>} */
async function measure({ pool: name, workers, tasks, micros, mixed, samples }) {
  const pool = openPool(name, workers);
  const timeOf = (/** @type {number} */ n) => (mixed ? [10, 100, 1000, 10][n % 4] : micros);
  const flood = async (/** @type {number} */ count) => {
    let next = 0;
    const lane = async () => {
      while (next < count) await pool.run(timeOf(next++));
    };
    await Promise.all(Array.from({ length: UNDER_WAY }, lane));
  };
  await flood(Math.ceil(tasks / 10));
  const began = performance.now();
  await flood(tasks);
  const seconds = (performance.now() - began) / 1000;
  const work = Array.from({ length: tasks }, (_, n) => timeOf(n) ?? 0).reduce((sum, one) => sum + one, 0) / 1e6;
  const latencies = [];
  for (let n = 0; n < samples; n++) {
    const sent = performance.now();
    await pool.run(micros);
    latencies.push((performance.now() - sent) * 1000);
  }
  latencies.sort((a, b) => a - b);
  const mebibytes = process.memoryUsage().rss / 2 ** 20;
  await pool.destroy();
  return {
    perSecond: tasks / seconds,
    p50Micros: quantileSorted(latencies, 0.5),
    p99Micros: quantileSorted(latencies, 0.99),
    mebibytes,
    utilization: work / (seconds * workers),
  };
}
