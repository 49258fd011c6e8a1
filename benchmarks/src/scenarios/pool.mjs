// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { median } from '../lib/statistics.mjs';
import { runSingles } from './pool-single.mjs';

/** @typedef {import('../jobs/pool.mjs').PoolResult} PoolResult */
/** @typedef {import('../jobs/pool.mjs').PoolName} PoolName */

export const name = 'pool';
export const summary = 'tasks a second through a worker pool, and their latency, against piscina and tinypool';

const WORKERS = 2;
const POOLS = /** @type {const} */ (['sluice', 'sluice sync', 'piscina', 'tinypool']);
const LOADS = /** @type {const} */ ([
  { what: 'empty task', tasks: 100_000, micros: 0, mixed: false, atLeast: 3 },
  { what: '10 us task', tasks: 50_000, micros: 10, mixed: false, atLeast: 1 },
  { what: '10, 100 and 1000 us, mixed', tasks: 8000, micros: 10, mixed: true, atLeast: 1 },
]);

/** @param {import('../lib/context.mjs').Context} context */
export async function run(context) {
  await runSingles(context, POOLS, WORKERS);
  const { report, quick, repetitions } = context;
  for (const { what, tasks, micros, mixed, atLeast } of LOADS) {
    const measurements = new Map(
      POOLS.map((pool) => {
        const specification = {
          pool,
          workers: WORKERS,
          tasks: quick ? tasks / 20 : tasks,
          micros,
          mixed,
          samples: quick ? 50 : 1000,
        };
        const measure = async () =>
          /** @type {PoolResult} */ (await runJob('pool', specification, { timeoutMs: 120_000 }));
        return /** @type {const} */ ([pool, measure]);
      }),
    );
    const outcomes = await interleave(measurements, repetitions, report.progress);
    /** @param {PoolName} pool @param {keyof PoolResult} key */
    const middleOf = (pool, key) => {
      const values = outcomes.get(pool)?.values ?? [];
      return values.length === 0 ? Number.NaN : median(values.map((value) => value[key]));
    };
    const best = Math.max(
      ...['piscina', 'tinypool']
        .map((pool) => middleOf(/** @type {PoolName} */ (pool), 'perSecond'))
        .filter((value) => !Number.isNaN(value)),
    );
    const rows = POOLS.map((pool) => {
      const outcome = outcomes.get(pool);
      if (!outcome || outcome.values.length === 0) {
        report.fail(`${pool}, ${what}`, outcome?.failure ?? 'nothing measured');
        return [pool, 'failed', '', '', '', '', '', ''];
      }
      const perSecond = middleOf(pool, 'perSecond');
      const ratio = perSecond / best;
      const bars =
        pool === 'sluice'
          ? [
              {
                name: `${what}: tasks a second over the better of the others`,
                limit: `at least ${atLeast}`,
                value: ratio,
                met: ratio >= atLeast,
              },
            ]
          : [];
      const [p50Micros, p99Micros, mebibytes, utilization] = /** @type {const} */ ([
        'p50Micros',
        'p99Micros',
        'mebibytes',
        'utilization',
      ]).map((key) => middleOf(pool, key));
      report.add({
        subject: pool,
        what,
        workers: WORKERS,
        runtime: currentRuntime.name,
        repetitions,
        perSecond,
        p50Micros,
        p99Micros,
        mebibytes,
        utilization,
        samples: outcome.values,
        bars,
      });
      return [
        pool,
        show(perSecond),
        show(ratio),
        show(p50Micros ?? 0),
        show(p99Micros ?? 0),
        show(mebibytes ?? 0),
        show(utilization ?? 0),
        bars.map(({ met }) => (met ? 'met' : 'MISSED')).join(''),
      ];
    });
    report.table(
      `${what}, ${WORKERS} workers, on ${currentRuntime.name}, median of ${repetitions}`,
      ['pool', 'tasks/s', 'over the better', 'p50 us', 'p99 us', 'MiB', 'work/time', 'bar'],
      rows,
    );
  }
}
