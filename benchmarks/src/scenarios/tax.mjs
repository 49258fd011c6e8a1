// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { median, min, pairedRatios } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/uncontended.mjs').UncontendedResult} UncontendedResult */

export const name = 'tax';
export const summary = 'one thread: what a capacitor adds to lock and unlock';

const bare = 'TtsLock';

/**
 * @type {ReadonlyMap<string, { capacitor?: import('@sluice/capacitor').CapacitorLockOptions, bar?: { atMost: number }
 *   }>}
 */
const cases = new Map([
  [bare, {}],
  ['plain, B = 10', { capacitor: { bypassLimit: 10 }, bar: { atMost: 2.2 } }],
  ['99/100 around', { capacitor: { bypassLimit: 10, fraction: 99 / 100 } }],
  ['skipWhenUncontended', { capacitor: { bypassLimit: 10, skipWhenUncontended: true }, bar: { atMost: 1.2 } }],
  ['adaptive', { capacitor: { bypassLimit: 'adaptive' } }],
  ['4 lanes, B = 16', { capacitor: { bypassLimit: 16, lanes: 4 } }],
  ['4 lanes at random, B = 16', { capacitor: { bypassLimit: 16, lanes: { count: 4, order: 'random' } } }],
]);

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick, repetitions }) {
  const sizes = quick ? { blocks: 3, blockMillis: 1 } : { blocks: 15, blockMillis: 8 };
  const measurements = new Map(
    [...cases].map(([title, { capacitor }]) => [
      title,
      async () => {
        const specification = {
          subject: 'tts-lock',
          operation: 'lock',
          options: { ...(capacitor && { capacitor }) },
          ...sizes,
        };
        return /** @type {UncontendedResult} */ (await runJob('uncontended', specification, { timeoutMs: 60_000 }));
      },
    ]),
  );
  const outcomes = await interleave(measurements, repetitions, report.progress);
  const reference = outcomes.get(bare)?.values ?? [];
  const rows = [];
  for (const [title, { values, failure }] of outcomes) {
    if (failure !== null) {
      report.fail(title, failure);
      continue;
    }
    const pairNanos = median(nanosOf(values));
    const ratios = pairedRatios(nanosOf(values), nanosOf(reference));
    const overBare = ratios.length > 0 ? median(ratios) : null;
    const limit = cases.get(title)?.bar;
    const bars =
      quick || limit === undefined || overBare === null ? [] : [bar(`${title}, over bare ${bare}`, overBare, limit)];
    report.add({
      subject: title,
      runtime: currentRuntime.name,
      repetitions,
      pairNanos,
      overBare,
      samples: values,
      bars,
    });
    const verdict = bars.map(({ met }) => (met ? 'met' : 'MISSED')).join();
    rows.push([
      title,
      show(pairNanos),
      show(min(values.map(({ pairNanosMin }) => pairNanosMin))),
      show(overBare),
      verdict,
    ]);
  }
  const head = ['capacitor', 'ns/pair', 'fastest block', 'over bare', 'bar'];
  report.table(`Lock and unlock of one thread on ${currentRuntime.name}, median of ${repetitions}`, head, rows);
}

/** @param {readonly UncontendedResult[]} values */
const nanosOf = (values) => values.map(({ pairNanos }) => pairNanos);
