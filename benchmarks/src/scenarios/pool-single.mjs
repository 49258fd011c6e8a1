// @ts-check
// The part of the scenario `pool` that sends one task at a time: how long it takes, and how long the slowest of a
// thousand take.
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { median, pairedRatios } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/pool-single.mjs').SingleResult} SingleResult */
/** @typedef {import('../lib/pools.mjs').PoolName} PoolName */

const PEER = 'piscina';
const PACES = /** @type {const} */ ([
  { what: 'single tasks, one after the other', restMs: 0, samples: 5000, blocks: 20 },
  { what: 'single tasks, each after a rest of 2 ms', restMs: 2, samples: 1000, blocks: 10 },
]);

/**
 * @param {import('../lib/context.mjs').Context} context
 * @param {readonly PoolName[]} pools
 * @param {number} workers
 */
export async function runSingles({ report, quick, repetitions }, pools, workers) {
  for (const { what, restMs, samples, blocks } of PACES) {
    const specification = {
      pools,
      workers,
      restMs,
      samples: quick ? samples / 20 : samples,
      blocks: quick ? 2 : blocks,
    };
    const measure = async () =>
      /** @type {Record<PoolName, SingleResult>} */ (
        await runJob('pool-single', specification, { timeoutMs: 120_000 })
      );
    const outcome = (await interleave(new Map([[what, measure]]), repetitions, report.progress)).get(what);
    if (!outcome || outcome.values.length === 0) {
      report.fail(what, outcome?.failure ?? 'nothing measured');
      continue;
    }
    /** @param {PoolName} pool @param {keyof SingleResult} key */
    const valuesOf = (pool, key) => outcome.values.map((value) => value[pool][key]);
    const rows = pools.map((pool) => {
      const keys = /** @type {const} */ (['p50Micros', 'p99Micros', 'p999Micros', 'worstMicros']);
      const [p50Micros, p99Micros, p999Micros, worstMicros] = keys.map((key) => median(valuesOf(pool, key)));
      const ratio = median(pairedRatios(valuesOf(pool, 'p99Micros'), valuesOf(PEER, 'p99Micros')));
      const bars =
        pool === 'sluice' ? [bar(`${what}: 99th percentile over that of ${PEER}`, ratio, { atMost: 1 })] : [];
      report.add({
        subject: pool,
        what,
        workers,
        restMs,
        runtime: currentRuntime.name,
        repetitions,
        p50Micros,
        p99Micros,
        p999Micros,
        worstMicros,
        ratio,
        samples: outcome.values.map((value) => value[pool]),
        bars,
      });
      return [
        pool,
        ...[p50Micros, p99Micros, p999Micros, worstMicros, ratio].map(show),
        bars.map(({ met }) => (met ? 'met' : 'MISSED')).join(''),
      ];
    });
    const title = `${what}, ${specification.samples} each, ${workers} workers, on ${currentRuntime.name}, median of ${repetitions}`;
    report.table(title, ['pool', 'p50 us', 'p99 us', 'p99.9 us', 'worst us', `p99 over ${PEER}`, 'bar'], rows);
  }
}
