// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { median } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/why.mjs').WhyResult} WhyResult */

export const name = 'why';
export const summary = 'a loop of wait and notify, and a free lock, with @sluice/inspect/why over without';

const without = 'without';
const withWhy = 'with why';
/** @type {ReadonlyMap<string, readonly string[]>} */
const cases = new Map([
  [without, []],
  [withWhy, ['--import', import.meta.resolve('@sluice/inspect/why')]],
]);

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick, repetitions }) {
  const specification = quick
    ? { rounds: 1, passes: 1000, pairs: 100_000 }
    : { rounds: 10, passes: 20_000, pairs: 1_000_000 };
  const measurements = new Map(
    [...cases].map(([title, flags]) => [
      title,
      async () => /** @type {WhyResult} */ (await runJob('why', specification, { timeoutMs: 120_000, flags })),
    ]),
  );
  const outcomes = await interleave(measurements, repetitions, report.progress);
  const ground = outcomes.get(without)?.values ?? [];
  const rows = [];
  for (const [title, { values, failure }] of outcomes) {
    if (failure !== null) {
      report.fail(title, failure);
      continue;
    }
    // Within each repetition: a slow minute of the machine hits both.
    const over = (/** @type {(value: WhyResult) => number} */ of) =>
      ground.length === values.length
        ? median(values.map((value, n) => of(value) / of(/** @type {WhyResult} */ (ground[n]))))
        : null;
    const [pass, pair] = [over(({ passNanos }) => passNanos), over(({ pairNanos }) => pairNanos)];
    const bars =
      quick || title === without || pass === null
        ? []
        : [bar('a loop of wait and notify, time over that without', pass, { atMost: 1.1 })];
    report.add({
      subject: title,
      runtime: currentRuntime.name,
      repetitions,
      passOver: pass,
      pairOver: pair,
      samples: values,
      bars,
    });
    rows.push([
      title,
      show(median(values.map(({ passNanos }) => passNanos))),
      show(pass),
      show(median(values.map(({ pairNanos }) => pairNanos))),
      show(pair),
      bars.map(({ met }) => (met ? 'met' : 'MISSED')).join(),
    ]);
  }
  report.table(
    `Atomics on ${currentRuntime.name}, median of ${repetitions}, the best round of each`,
    ['program', 'ns for wait and notify to and fro', 'over', 'ns for a free lock', 'over', 'bar'],
    rows,
  );
}
