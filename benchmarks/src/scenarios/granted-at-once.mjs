// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { median } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/granted-at-once.mjs').GrantedResult} GrantedResult */

export const name = 'granted-at-once';
export const summary =
  '10,000 async waits that one release grants: the release, and the longest turn of the event loop';

const CASES = [
  { title: 'the first of a process', warmUps: 0 },
  { title: 'the fifth', warmUps: 4 },
];
/** In ms. */
const LONGEST = { atMost: 10 };

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick, repetitions }) {
  const waits = quick ? 100 : 10_000;
  const measurements = new Map(
    CASES.map(({ title, warmUps }) => [
      title,
      async () =>
        /** @type {GrantedResult} */ (await runJob('granted-at-once', { waits, warmUps }, { timeoutMs: 60_000 })),
    ]),
  );
  const outcomes = await interleave(measurements, repetitions, report.progress);
  const rows = [];
  for (const [title, { values, failure }] of outcomes) {
    if (failure !== null) {
      report.fail(title, failure);
      continue;
    }
    const releaseMillis = median(values.map((value) => value.releaseMillis));
    const longestTurnMillis = median(values.map((value) => value.longestTurnMillis));
    const totalMillis = median(values.map((value) => value.totalMillis));
    const bars = quick
      ? []
      : [
          bar(`${title}: the release`, releaseMillis, LONGEST),
          bar(`${title}: the longest turn`, longestTurnMillis, LONGEST),
        ];
    const figures = { releaseMillis, longestTurnMillis, totalMillis };
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
    `${waits} async waits granted at once on ${currentRuntime.name}, median of ${repetitions}`,
    ['round', 'release ms', 'longest turn ms', 'all ms', 'bars'],
    rows,
  );
}
