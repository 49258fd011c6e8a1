// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { max, median } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/rate-kept.mjs').RateKeptResult} RateKeptResult */

export const name = 'rate-kept';
export const summary = 'the share of its rate that a RateLimiter with a burst of 1 lets through';

const CALLERS = ['together', 'one by one', 'blocking'];
/** The least share, by calls a second. */
const RATES = new Map([
  [100, 0.98],
  [1000, 0.98],
  [3000, 0.95],
]);

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick, repetitions }) {
  const seconds = quick ? 0.1 : 2;
  const points = [...RATES].flatMap(([perSecond, atLeast]) =>
    CALLERS.map((callers) => ({ title: `${perSecond} a second, ${callers}`, perSecond, callers, atLeast })),
  );
  const measurements = new Map(
    points.map(({ title, perSecond, callers }) => [
      title,
      async () =>
        /** @type {RateKeptResult} */ (
          await runJob('rate-kept', { perSecond, callers, seconds }, { timeoutMs: 60_000 })
        ),
    ]),
  );
  const outcomes = await interleave(measurements, repetitions, report.progress);
  const rows = [];
  for (const { title, perSecond, callers, atLeast } of points) {
    const { values, failure } = outcomes.get(title) ?? { values: [], failure: 'not measured' };
    if (failure !== null) {
      report.fail(title, failure);
      continue;
    }
    const share = median(values.map((value) => value.share));
    const excess = max(values.map((value) => value.excess));
    const bars = quick ? [] : [bar(`share of ${title}`, share, { atLeast })];
    report.add({
      subject: title,
      perSecond,
      callers,
      runtime: currentRuntime.name,
      repetitions,
      share,
      excess,
      samples: values,
      bars,
    });
    rows.push([title, show(share), show(excess), bars.map(({ met }) => (met ? 'met' : 'MISSED')).join()]);
  }
  report.table(
    `A RateLimiter with a burst of 1 on ${currentRuntime.name}, median of ${repetitions}`,
    ['calls', 'share of the rate', 'excess permits, worst', 'bar'],
    rows,
  );
}
