// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { median, min, pairedRatios } from '../lib/statistics.mjs';
import { core, jobOf } from './semabench-subjects.mjs';

/** @typedef {import('../jobs/uncontended.mjs').UncontendedResult} UncontendedResult */
/** @typedef {import('./semabench-subjects.mjs').Subject} Subject */
/** @typedef {Pick<UncontendedResult, 'pairNanos' | 'twoAddsNanos'>} Found */

const head = ['semaphore', 'ns/pair', 'least', 'two adds ns', 'ratio', 'over core'];

const sizes = (/** @type {boolean} */ quick) =>
  quick ? { blocks: 3, blockMillis: 1 } : { blocks: 25, blockMillis: 8 };

/** How long one subject takes once. @param {boolean} quick */
export const uncontendedSeconds = (quick) => (quick ? 0.2 : 1);

/**
 * One worker alone: the cost of acquiring and releasing, beside two bare `Atomics.add` in the same process.
 * @param {import('../lib/context.mjs').Context} context
 * @param {readonly Subject[]} subjects
 * @param {import('../lib/native.mjs').Native | string} native
 */
export async function measureUncontended({ report, quick, repetitions }, subjects, native) {
  const measurements = new Map(subjects.map((subject) => [subject.key, () => measure(subject, native, quick)]));
  const outcomes = await interleave(measurements, repetitions, (line) => report.progress(`uncontended ${line}`));
  const reference = outcomes.get(core)?.values ?? [];
  const rows = [];
  for (const { key, title, native: lock } of subjects) {
    const { values, failure } = outcomes.get(key) ?? { values: [], failure: 'not measured' };
    if (failure !== null) {
      report.fail(`${title} uncontended`, failure);
      continue;
    }
    const nanos = values.map(({ pairNanos }) => pairNanos);
    const ratios = pairedRatios(
      nanos,
      reference.map(({ pairNanos }) => pairNanos),
    );
    const found = {
      pairNanos: median(nanos),
      pairNanosLeast: min(nanos),
      twoAddsNanos: median(values.map(({ twoAddsNanos }) => twoAddsNanos)),
      ratio: median(values.map(({ pairNanos, twoAddsNanos }) => pairNanos / twoAddsNanos)),
      overCore: ratios.length > 0 ? median(ratios) : null,
    };
    const runtime = lock === undefined ? currentRuntime.name : 'C++';
    report.add({
      subject: title,
      key,
      series: 'uncontended',
      runtime,
      workers: 1,
      repetitions,
      ...found,
      samples: values,
    });
    rows.push([title, ...Object.values(found).map(show)]);
  }
  report.table(`Semabench on ${currentRuntime.name}, one worker uncontended, median of ${repetitions}`, head, rows);
}

/**
 * @param {Subject} subject
 * @param {import('../lib/native.mjs').Native | string} native
 * @param {boolean} quick
 * @returns {Promise<Found>}
 */
async function measure(subject, native, quick) {
  const { native: lock } = subject;
  if (lock !== undefined) {
    if (typeof native === 'string') throw new Error('a subject that cannot run here');
    const { pairNanosMedian: pairNanos, twoAddsNanosMedian: twoAddsNanos } = await native.uncontended(
      lock,
      quick ? 100_000 : 1_000_000,
    );
    return { pairNanos, twoAddsNanos };
  }
  const specification = { ...jobOf(subject), operation: 'acquire', ...sizes(quick) };
  return /** @type {UncontendedResult} */ (await runJob('uncontended', specification, { timeoutMs: 60_000 }));
}
