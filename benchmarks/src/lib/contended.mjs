// @ts-check
import { interleave } from './repeat.mjs';
import { show } from './report.mjs';
import { pairs, summarize } from './pairs.mjs';

/**
 * @typedef {object} Contender
 * @property {string} title
 * @property {import('../subjects/subject.mjs').SubjectName} subject
 * @property {string[]} [flags]
 * @property {number} since the first line of Node that it runs on
 */

/**
 * @typedef {object} Points
 * @property {number[]} workers
 * @property {number} seconds
 * @property {number} warmUpSeconds
 */

/** The locks that people use today. @type {Contender[]} */
export const peerMutexes = [
  { title: 'textbook futex mutex', subject: 'textbook-mutex', since: 20 },
  { title: 'V8 Atomics.Mutex', subject: 'atomics-mutex', flags: ['--harmony-struct'], since: 20 },
  { title: 'multithreading Mutex', subject: 'multithreading-mutex', since: 21 },
];

const head = ['workers', 'lock', 'pairs/s', 'slowest..fastest', 'min/max', 'worst', 'CPU us/pair'];

/**
 * Semabench through several locks: throughput beside fairness.
 * @param {import('./context.mjs').Context} context
 * @param {import('./runtimes.mjs').Runtime} runtime
 * @param {readonly Contender[]} contenders
 * @param {Points} points
 */
export async function compareContended({ report, repetitions }, runtime, contenders, { workers: numbers, ...times }) {
  const able = contenders.filter(({ since }) => runtime.major >= since);
  const rows = [];
  for (const workers of numbers) {
    const measurements = new Map(
      able.map(({ title, subject, flags }) => [title, () => pairs({ subject, workers, ...times }, { runtime, flags })]),
    );
    const progress = (/** @type {string} */ line) => report.progress(`${runtime.name} ${workers} workers ${line}`);
    for (const [title, { values, failure }] of await interleave(measurements, repetitions, progress)) {
      if (failure !== null) {
        report.fail(`${title} at ${workers} workers on ${runtime.name}`, failure);
        continue;
      }
      const summary = summarize(values);
      report.add({ subject: title, runtime: runtime.name, work: 'semabench', workers, repetitions, ...summary, samples: values });
      const spread = `${show(summary.slowest)}..${show(summary.fastest)}`;
      const figures = [summary.fairness, summary.fairnessWorst, summary.cpuMicrosPerPair].map(show);
      rows.push([String(workers), title, show(summary.pairsPerSecond), spread, ...figures]);
    }
  }
  report.table(`Semabench on ${runtime.name}, ${times.seconds} s for each point, median of ${repetitions}`, head, rows);
}
