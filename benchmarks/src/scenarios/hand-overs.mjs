// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { median } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/hand-overs.mjs').HandOversResult} HandOversResult */
/** @typedef {import('../jobs/hand-overs.mjs').HandOversSubject} HandOversSubject */

export const name = 'hand-overs';
export const summary = 'strict hand-overs of 8 to 64 workers, cold and warm, over a bare ring of wait and notify';
export const repetitions = 3;

const ring = 'bare ring';

/** @type {ReadonlyMap<string, HandOversSubject>} */
const subjects = new Map([
  [ring, 'ring'],
  ['Semaphore', 'sluice'],
  ["Mutex, order 'fifo'", 'mutex-fifo'],
]);

/** Over the ring in the same repetition. @type {readonly { state: keyof HandOversResult, atLeast: number }[]} */
const limits = [
  { state: 'cold', atLeast: 0.6 },
  { state: 'warm', atLeast: 0.9 },
];

const points = { workers: [8, 16, 32, 64], seconds: 1, warmAfterSeconds: 10 };
const quickPoints = { workers: [4], seconds: 0.05, warmAfterSeconds: 0.1 };

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick, repetitions: times }) {
  const { workers: numbers, ...seconds } = quick ? quickPoints : points;
  const rows = [];
  for (const workers of numbers) {
    const timeoutMs = (seconds.seconds + seconds.warmAfterSeconds) * 1000 + workers * 500 + 30_000;
    const measurements = new Map(
      [...subjects].map(([title, subject]) => [
        title,
        async () =>
          /** @type {HandOversResult} */ (await runJob('hand-overs', { subject, workers, ...seconds }, { timeoutMs })),
      ]),
    );
    const outcomes = await interleave(measurements, times, (line) => report.progress(`${workers} workers ${line}`));
    const baseline = outcomes.get(ring)?.values ?? [];
    for (const [title, { values, failure }] of outcomes) {
      if (failure !== null) {
        report.fail(`${title} at ${workers} workers`, failure);
        continue;
      }
      const rates = limits.map(({ state }) => median(values.map((value) => value[state])));
      // Within each repetition: a slow minute of the machine hits both.
      const ratios = limits.map(({ state }) =>
        median(values.map((value, n) => value[state] / (baseline[n]?.[state] ?? NaN))),
      );
      const bars =
        title === ring || quick
          ? []
          : limits.map(({ state, atLeast }, n) =>
              bar(`${title}, ${workers} workers, ${state}, over a bare ring`, ratios[n] ?? 0, { atLeast }),
            );
      report.add({
        subject: title,
        runtime: currentRuntime.name,
        workers,
        repetitions: times,
        cold: rates[0],
        warm: rates[1],
        coldOverRing: ratios[0],
        warmOverRing: ratios[1],
        samples: values,
        bars,
      });
      const met = bars.map((each) => (each.met ? 'met' : 'MISSED'));
      rows.push([
        String(workers),
        title,
        show(rates[0] ?? 0),
        show(ratios[0] ?? 0),
        met[0] ?? '',
        show(rates[1] ?? 0),
        show(ratios[1] ?? 0),
        met[1] ?? '',
      ]);
    }
  }
  const head = ['workers', 'line', 'cold/s', 'over ring', 'bar 0.6', 'warm/s', 'over ring', 'bar 0.9'];
  report.table(
    `Strict hand-overs on ${currentRuntime.name}: cold is the first second, warm begins after ${seconds.warmAfterSeconds} s; median of ${times}`,
    head,
    rows,
  );
}
