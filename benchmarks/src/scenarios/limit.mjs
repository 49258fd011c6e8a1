// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { sideBySide } from '../lib/side-by-side.mjs';
import { median } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/limit.mjs').LimitResult} LimitResult */

export const name = 'limit';
export const summary =
  'calls a second of an empty async function through a limit, against p-limit, in one thread and in two; with an interval, against p-queue';

const CONCURRENCY = 10;
const MAX_COST = 4;
const LOADS = /** @type {const} */ ([
  { what: 'one call after the other, a slot is free', batch: 1, calls: 200_000 },
  { what: '1000 calls at a time', batch: 1000, calls: 100_000 },
]);
const SUBJECTS = /** @type {const} */ ([
  { title: 'p-limit, one thread', subject: 'p-limit', workers: 1 },
  { title: 'createLimit, one thread', subject: 'sluice', workers: 1 },
  { title: 'p-limit, one in each of two threads', subject: 'p-limit', workers: 2 },
  { title: 'createLimit, one of two threads', subject: 'sluice', workers: 2 },
  { title: 'createLimit, adaptive, one thread', subject: 'adaptive', workers: 1 },
  { title: 'createLimit, maxWaiting, one thread', subject: 'shedding', workers: 1 },
]);

/** @param {import('../lib/context.mjs').Context} context */
export async function run(context) {
  await runLoads(context);
  await sideBySide('limit')(context);
}

/** @param {import('../lib/context.mjs').Context} context */
async function runLoads({ report, quick, repetitions }) {
  for (const { what, batch, calls } of LOADS) {
    const measurements = new Map(
      SUBJECTS.map(({ title, subject, workers }) => {
        const specification = { subject, workers, concurrency: CONCURRENCY, calls: quick ? calls / 20 : calls, batch };
        const measure = async () =>
          /** @type {LimitResult} */ (await runJob('limit', specification, { timeoutMs: 120_000 }));
        return /** @type {const} */ ([title, measure]);
      }),
    );
    const outcomes = await interleave(measurements, repetitions, report.progress);
    /** @param {string} title */
    const middleOf = (title) => {
      const values = outcomes.get(title)?.values ?? [];
      return values.length === 0 ? Number.NaN : median(values.map(({ perSecond }) => perSecond));
    };
    const rows = SUBJECTS.map(({ title, workers }) => {
      const outcome = outcomes.get(title);
      if (!outcome || outcome.values.length === 0) {
        report.fail(`${title}, ${what}`, outcome?.failure ?? 'nothing measured');
        return [title, 'failed', '', ''];
      }
      const perSecond = middleOf(title);
      // Beside the p-limit with as many threads.
      const peer = SUBJECTS.find((subject) => subject.subject === 'p-limit' && subject.workers === workers);
      const ratio = middleOf(peer?.title ?? '') / perSecond;
      const samples = outcome.values.map((value) => value.perSecond);
      const isBar = title === 'createLimit, one thread' && batch > CONCURRENCY;
      const bars = isBar
        ? [
            {
              name: `${what}: times the cost of p-limit`,
              limit: `at most ${MAX_COST}`,
              value: ratio,
              met: ratio <= MAX_COST,
            },
          ]
        : [];
      report.add({
        subject: title,
        what,
        workers,
        concurrency: CONCURRENCY,
        batch,
        runtime: currentRuntime.name,
        repetitions,
        perSecond,
        ratio,
        samples,
        bars,
      });
      return [title, show(perSecond), show(ratio), bars.map(({ met }) => (met ? 'met' : 'MISSED')).join('')];
    });
    report.table(
      `${what}, concurrency ${CONCURRENCY}, on ${currentRuntime.name}, median of ${repetitions}`,
      ['through', 'calls/s', 'times the cost', 'bar'],
      rows,
    );
  }
}
