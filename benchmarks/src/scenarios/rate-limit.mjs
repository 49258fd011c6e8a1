// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { median } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/rate-limit.mjs').RateResult} RateResult */

export const name = 'rate-limit';
export const summary = 'calls a second through a rate limiter, against p-queue and limiter, in one thread';

/** The peer is first. Every ratio is beside it. */
const LOADS = /** @type {const} */ ([
  { load: 'try', what: 'a call that only tries, a permit is there', calls: 200_000, subjects: ['limiter', 'sluice'] },
  { load: 'call', what: 'an async call, a permit is there', calls: 100_000, subjects: ['p-queue', 'limiter', 'sluice'] },
  { load: 'wait', what: '1000 async calls wait, 2 permits in 1 ms', calls: 1000, subjects: ['p-queue', 'limiter', 'sluice'] },
]);
const TITLES = { sluice: 'RateLimiter', limiter: 'limiter', 'p-queue': 'p-queue' };

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick, repetitions }) {
  for (const { load, what, calls, subjects } of LOADS) {
    const measurements = new Map(
      subjects.map((subject) => {
        const specification = { subject, load, calls: quick ? Math.ceil(calls / 10) : calls };
        const measure = async () => /** @type {RateResult} */ (await runJob('rate-limit', specification, { timeoutMs: 60_000 }));
        return /** @type {const} */ ([subject, measure]);
      }),
    );
    const outcomes = await interleave(measurements, repetitions, report.progress);
    /** @param {string} subject */
    const middleOf = (subject) => {
      const values = outcomes.get(/** @type {never} */ (subject))?.values ?? [];
      return values.length === 0 ? Number.NaN : median(values.map(({ perSecond }) => perSecond));
    };
    const rows = subjects.map((subject) => {
      const outcome = outcomes.get(subject);
      if (!outcome || outcome.values.length === 0) {
        report.fail(`${TITLES[subject]}, ${what}`, outcome?.failure ?? 'nothing measured');
        return [TITLES[subject], 'failed', ''];
      }
      const perSecond = middleOf(subject);
      const ratio = middleOf(subjects[0]) / perSecond;
      report.add({ subject: TITLES[subject], what, runtime: currentRuntime.name, repetitions, perSecond, ratio, samples: outcome.values.map((value) => value.perSecond), bars: [] });
      return [TITLES[subject], show(perSecond), show(ratio)];
    });
    report.table(`${what}, on ${currentRuntime.name}, median of ${repetitions}`, ['through', 'calls/s', `times the cost of ${TITLES[subjects[0]]}`], rows);
  }
}
