// @ts-check
import { MeasurementError } from './jobs.mjs';
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
 * @property {number} [warmUpSecondsEach] beside that, for each worker: until the contended path of all of them is
 *   compiled
 * @property {number} [waitSeconds] how long waits are timed, in a run of their own
 */

/** @typedef {ReadonlyMap<string, import('./repeat.mjs').Outcome<import('./pairs.mjs').PairsResult>>} Outcomes */
/**
 * @typedef {(title: string, workers: number, outcomes: Outcomes) => import('./report.mjs').Bar[]} BarsOf what is
 *   expected of one contender at one number of workers
 */

/** @param {readonly Contender[]} contenders @param {string} title */
function contenderOf(contenders, title) {
  const found = contenders.find((contender) => contender.title === title);
  if (found === undefined) throw new Error(`no contender ${title}`);
  return found;
}

/** The locks that people use today. @type {Contender[]} */
export const peerMutexes = [
  { title: 'textbook futex mutex', subject: 'textbook-mutex', since: 20 },
  { title: 'V8 Atomics.Mutex', subject: 'atomics-mutex', flags: ['--harmony-struct'], since: 20 },
  { title: 'multithreading Mutex', subject: 'multithreading-mutex', since: 21 },
];

/**
 * How long waits took. A run that fails is reported, and the scenario goes on without its figures.
 * @param {Parameters<typeof pairs>[0]} timed
 * @param {Parameters<typeof pairs>[1]} options
 * @param {(reason: string) => void} fail
 */
export async function waitsOf(timed, options, fail) {
  try {
    return (await pairs(timed, options)).waits;
  } catch (error) {
    if (!(error instanceof MeasurementError)) throw error;
    fail(error.message);
    return null;
  }
}

const head = [
  'workers',
  'lock',
  'pairs/s',
  'slowest..fastest',
  'min/max',
  'worst',
  'CPU us/pair',
  'wait, 99.9 % ms',
  'worst ms',
  'bar',
];

/**
 * Semabench through several locks: throughput beside fairness.
 * @param {import('./context.mjs').Context} context
 * @param {import('./runtimes.mjs').Runtime} runtime
 * @param {readonly Contender[]} contenders
 * @param {Points} points
 * @param {BarsOf} [barsOf]
 */
export async function compareContended({ report, repetitions }, runtime, contenders, points, barsOf = () => []) {
  const { workers: numbers, seconds, warmUpSecondsEach = 0, waitSeconds } = points;
  const able = contenders.filter(({ since }) => runtime.major >= since);
  const rows = [];
  for (const workers of numbers) {
    const times = { seconds, warmUpSeconds: points.warmUpSeconds + workers * warmUpSecondsEach };
    const measurements = new Map(
      able.map(({ title, subject, flags }) => [title, () => pairs({ subject, workers, ...times }, { runtime, flags })]),
    );
    const progress = (/** @type {string} */ line) => report.progress(`${runtime.name} ${workers} workers ${line}`);
    const outcomes = await interleave(measurements, repetitions, progress);
    for (const [title, { values, failure }] of outcomes) {
      if (failure !== null) {
        report.fail(`${title} at ${workers} workers on ${runtime.name}`, failure);
        continue;
      }
      const summary = summarize(values);
      const { subject, flags } = contenderOf(able, title);
      const timed = { subject, workers, ...times, seconds: waitSeconds ?? 0, waits: true };
      const waits =
        waitSeconds === undefined
          ? null
          : await waitsOf(timed, { runtime, flags }, (reason) => {
              report.fail(`waits of ${title} at ${workers} workers on ${runtime.name}`, reason);
            });
      const bars = barsOf(title, workers, outcomes);
      report.add({
        subject: title,
        runtime: runtime.name,
        work: 'semabench',
        workers,
        repetitions,
        ...summary,
        waits,
        samples: values,
        bars,
      });
      const spread = `${show(summary.slowest)}..${show(summary.fastest)}`;
      const figures = [
        summary.fairness,
        summary.fairnessWorst,
        summary.cpuMicrosPerPair,
        waits?.p999Millis,
        waits?.worstMillis,
      ].map(show);
      const verdict = bars.map(({ met }) => (met ? 'met' : 'MISSED')).join(', ');
      rows.push([String(workers), title, show(summary.pairsPerSecond), spread, ...figures, verdict]);
    }
  }
  report.table(`Semabench on ${runtime.name}, ${seconds} s for each point, median of ${repetitions}`, head, rows);
}
