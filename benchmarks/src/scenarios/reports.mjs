// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { median } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/reports.mjs').ReportsResult} ReportsResult */

export const name = 'reports';
export const summary = 'formatReport and findDeadlocks of an arena with 10,000 async waits';

const CASES = [
  { title: 'one line, the first of a process', locks: 0, warmUps: 0 },
  { title: 'one line, the fifth', locks: 0, warmUps: 4 },
  { title: '101 lines, the first of a process', locks: 100, warmUps: 0 },
  { title: '101 lines, the fifth', locks: 100, warmUps: 4 },
];
/** In ms. */
const LONGEST = { atMost: 50 };

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick, repetitions }) {
  const waits = quick ? 100 : 10_000;
  const measurements = new Map(
    CASES.map(({ title, locks, warmUps }) => [
      title,
      async () =>
        /** @type {ReportsResult} */ (await runJob('reports', { waits, locks, warmUps }, { timeoutMs: 60_000 })),
    ]),
  );
  const outcomes = await interleave(measurements, repetitions, report.progress);
  const rows = [];
  for (const [title, { values, failure }] of outcomes) {
    if (failure !== null) {
      report.fail(title, failure);
      continue;
    }
    const figures = {
      reportMillis: median(values.map((value) => value.reportMillis)),
      deadlocksMillis: median(values.map((value) => value.deadlocksMillis)),
    };
    const bars = quick ? [] : [bar(`${title}: the report`, figures.reportMillis, LONGEST)];
    report.add({
      subject: title,
      waits,
      runtime: currentRuntime.name,
      repetitions,
      ...figures,
      samples: values,
      bars,
    });
    rows.push([title, ...Object.values(figures).map(show), bars.map(({ met }) => (met ? 'met' : 'MISSED')).join(', ')]);
  }
  report.table(
    `Reports of ${waits} async waits on ${currentRuntime.name}, median of ${repetitions}`,
    ['report', 'formatReport ms', 'findDeadlocks ms', 'bar'],
    rows,
  );
}
