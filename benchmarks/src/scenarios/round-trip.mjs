// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { median } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/round-trip.mjs').RoundTripResult} RoundTripResult */
/** @typedef {import('../lib/round-trip.mjs').Ways} Ways */

export const name = 'round-trip';
export const summary =
  'a bare round trip between two threads that sleep: by ports, by waitAsync, and by a thread in Atomics.wait';

/** @type {ReadonlyMap<string, Ways>} */
const WAYS = new Map([
  ['port; port', { there: 'port', back: 'port' }],
  ['waitAsync; waitAsync', { there: 'waitAsync', back: 'waitAsync' }],
  ['Atomics.wait; port', { there: 'wait', back: 'port' }],
  ['Atomics.wait; waitAsync', { there: 'wait', back: 'waitAsync' }],
]);

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick, repetitions }) {
  const trips = quick ? 100 : 3000;
  const measurements = new Map(
    [...WAYS].map(([title, ways]) => [
      title,
      async () => /** @type {RoundTripResult} */ (await runJob('round-trip', { ways, trips }, { timeoutMs: 60_000 })),
    ]),
  );
  const rows = [];
  for (const [title, { values, failure }] of await interleave(measurements, repetitions, report.progress)) {
    if (failure !== null) {
      report.fail(title, failure);
      continue;
    }
    const p50Micros = median(values.map((value) => value.p50Micros));
    const p99Micros = median(values.map((value) => value.p99Micros));
    report.add({ subject: title, runtime: currentRuntime.name, repetitions, p50Micros, p99Micros, samples: values });
    rows.push([title, show(p50Micros), show(p99Micros)]);
  }
  report.table(
    `Round trips on ${currentRuntime.name}, median of ${repetitions}`,
    ['worker sleeps by; main thread by', 'p50 us', 'p99 us'],
    rows,
  );
}
