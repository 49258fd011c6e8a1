// @ts-check
import { main } from '../lib/jobs.mjs';
import { openPool } from '../lib/pools.mjs';
import { sleep } from '../lib/sleep.mjs';
import { quantileSorted } from '../lib/statistics.mjs';

/** @typedef {import('../lib/pools.mjs').PoolName} PoolName */
/**
 * @typedef {{ pools: readonly PoolName[], workers: number, samples: number, blocks: number, restMs: number }}
 *   SingleSpecification
 */
/** @typedef {{ p50Micros: number, p99Micros: number, p999Micros: number, worstMicros: number }} SingleResult */

await main(measure);

/**
 * One task after the other, through pools that take turns: what disturbs the machine disturbs all of them.
 * @param {SingleSpecification} specification
 * @returns {Promise<Record<string, SingleResult>>}
 */
async function measure({ pools: names, workers, samples, blocks, restMs }) {
  const subjects = names.map((name) => ({
    name,
    pool: openPool(name, workers),
    latencies: /** @type {number[]} */ ([]),
  }));
  const perBlock = Math.ceil(samples / blocks);
  const warmUp = Math.min(perBlock, 1000);
  for (const { pool } of subjects) for (let n = 0; n < warmUp; n++) await pool.run(0);
  for (let block = 0; block < blocks; block++) {
    for (let turn = 0; turn < subjects.length; turn++) {
      const subject = subjects[(block + turn) % subjects.length];
      if (subject === undefined) continue;
      // The first task of a block wakes a pool that has slept since its last one.
      for (let n = 0; n < perBlock; n++) {
        if (restMs > 0) await sleep(restMs);
        const sent = performance.now();
        await subject.pool.run(0);
        subject.latencies.push((performance.now() - sent) * 1000);
      }
    }
  }
  for (const { pool } of subjects) await pool.destroy();
  return Object.fromEntries(
    subjects.map(({ name, latencies }) => {
      latencies.sort((a, b) => a - b);
      const at = (/** @type {number} */ part) => quantileSorted(latencies, part);
      return [name, { p50Micros: at(0.5), p99Micros: at(0.99), p999Micros: at(0.999), worstMicros: at(1) }];
    }),
  );
}
