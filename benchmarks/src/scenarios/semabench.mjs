// @ts-check
import os from 'node:os';
import { chooseSeries } from '../lib/choose.mjs';
import { buildNative } from '../lib/native.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { checked, semabench, summarize } from '../lib/semabench.mjs';
import { chooseSubjects, core, fitting, jobOf } from './semabench-subjects.mjs';
import { measureUncontended, uncontendedSeconds } from './semabench-uncontended.mjs';

/** @typedef {import('../lib/context.mjs').Context} Context */
/** @typedef {import('../lib/semabench.mjs').SemabenchPoint} SemabenchPoint */
/** @typedef {import('../jobs/semabench.mjs').SemabenchResult} SemabenchResult */
/** @typedef {import('./semabench-subjects.mjs').Subject} Subject */
/** @typedef {import('../lib/native.mjs').Native | string} MaybeNative */

export const name = 'semabench';
export const summary =
  "the paper's benchmark: all semaphores, and the paper's five listings in C++, at 1 to 64 workers (takes hours)";
export const repetitions = 11;
export const onlyWhenNamed = true;

const allSeries = ['blocking', 'mixed', 'uncontended'];
const fairnessBar = { atLeast: 0.9 };
const fairnessFrom = 4;
const rates = ['hand-overs/s', 'slowest..fastest'];
const costs = ['wake-ups', 'futile', 'notifies', 'no sleeper', 'worst ms', 'CPU us', 'MiB'];
const head = ['semaphore', ...rates, 'min/max', 'worst', 'deviation', ...costs, 'bar'];

/** @param {Context} context */
export async function run(context) {
  const { report, quick, choice } = context;
  const series = chooseSeries('semabench', allSeries, choice.series);
  const native = await buildNative();
  const subjects = runnable(context, chooseSubjects(choice.subjects), native);
  const numbers = choice.workers ?? (quick ? [1, 4, 16] : [1, 2, 4, 8, 16, 32, 64]);
  const points = series.flatMap((one) => (one === 'uncontended' ? [] : pointsOf(context, numbers, one === 'mixed')));

  const cores = os.availableParallelism();
  const jobs = points.flatMap((point) =>
    fitting(subjects, point, cores).map((subject) => secondsOf(point, subject, cores)),
  );
  const others = series.includes('uncontended') ? subjects.length * uncontendedSeconds(quick) : 0;
  const minutes = (context.repetitions * (jobs.reduce((sum, seconds) => sum + seconds, 0) + others)) / 60;
  report.note(`${jobs.length} points, about ${Math.ceil(minutes)} minutes on a quiet machine`);

  if (others > 0) await measureUncontended(context, subjects, native);
  for (const point of points) await measurePoint(context, point, fitting(subjects, point, cores), native);
}

/**
 * C++ is left out where it does not compile.
 * @param {Context} context
 * @param {readonly Subject[]} chosen
 * @param {MaybeNative} native
 */
function runnable({ report }, chosen, native) {
  if (typeof native !== 'string') return chosen;
  if (chosen.some((subject) => subject.native)) report.note(`skipped: ${native}`);
  return chosen.filter((subject) => !subject.native);
}

/**
 * With one worker there is no wait, in either way.
 * @param {Context} context
 * @param {readonly number[]} numbers
 * @param {boolean} mixed
 * @returns {SemabenchPoint[]}
 */
function pointsOf({ quick, choice }, numbers, mixed) {
  const usual = quick ? 0.3 : 2;
  return numbers
    .filter((workers) => !mixed || workers > 1)
    .map((workers) => ({
      workers,
      mixed,
      seconds: choice.seconds ?? usual,
      warmUpSeconds: quick ? 0.1 : 0.3 + 0.02 * workers,
      patienceSeconds: quick ? 3 : 20,
    }));
}

/**
 * With what it takes to start a process and its workers, and with the rounds of those that spin: until all are there,
 * until all have been through, and until all are through again.
 * @param {SemabenchPoint} point
 * @param {Subject} subject
 * @param {number} cores
 */
function secondsOf({ workers, seconds, warmUpSeconds }, { native, spins }, cores) {
  const rounds = spins ? (3 * 0.03 * workers * Math.max(0, workers - cores)) / cores : 0;
  return 1.1 * seconds + warmUpSeconds + (native ? 0.1 : 0.4 + 0.05 * workers) + rounds;
}

/**
 * @param {Subject} subject
 * @param {SemabenchPoint} point
 * @param {MaybeNative} native
 * @returns {Promise<SemabenchResult>}
 */
async function measure(subject, point, native) {
  const { native: lock } = subject;
  if (lock === undefined) return semabench({ ...jobOf(subject), ...point });
  if (typeof native === 'string') throw new Error('a subject that cannot run here');
  return checked(await native.semabench(lock, point));
}

/**
 * @param {Context} context
 * @param {SemabenchPoint} point
 * @param {readonly Subject[]} subjects
 * @param {MaybeNative} native
 */
async function measurePoint({ report, quick, repetitions }, point, subjects, native) {
  const { workers, mixed, seconds } = point;
  const series = mixed ? 'mixed' : 'blocking';
  const what = `${workers} workers, ${mixed ? 'every other one awaits' : 'all block'}`;
  const measurements = new Map(subjects.map((subject) => [subject.key, () => measure(subject, point, native)]));
  const outcomes = await interleave(measurements, repetitions, (line) => report.progress(`${what} ${line}`));
  const rows = [];
  for (const { key, title, native: lock } of subjects) {
    const { values, failure } = outcomes.get(key) ?? { values: [], failure: 'not measured' };
    if (failure !== null) {
      report.fail(`${title} at ${what}`, failure);
      continue;
    }
    const found = summarize(values);
    const judged = key === core && !mixed && workers >= fairnessFrom && !quick;
    const bars = judged
      ? [bar(`fairness of ${title} at ${workers} workers over ${seconds} s`, found.fairness, fairnessBar)]
      : [];
    const runtime = lock === undefined ? currentRuntime.name : 'C++';
    report.add({ subject: title, key, series, runtime, ...point, repetitions, ...found, samples: values, bars });
    rows.push(rowOf(title, found, bars));
  }
  report.table(`Semabench on ${currentRuntime.name}, ${what}, ${seconds} s, median of ${repetitions}`, head, rows);
}

/**
 * @param {string} title
 * @param {ReturnType<typeof summarize>} found
 * @param {readonly import('../lib/report.mjs').Bar[]} bars
 */
function rowOf(title, found, bars) {
  const { handOversPerSecond, slowest, fastest, fairness, fairnessWorst, relativeDeviation } = found;
  const { wakeUpsEach, futileEach, notifiesEach, vainEach, worstWaitMillis, cpuMicrosEach, peakMiB } = found;
  const costsEach = [wakeUpsEach, futileEach, notifiesEach, vainEach, worstWaitMillis, cpuMicrosEach, peakMiB];
  const figures = [fairness, fairnessWorst, relativeDeviation, ...costsEach].map(show);
  const verdict = bars.map(({ met }) => (met ? 'met' : 'MISSED')).join(', ');
  return [title, show(handOversPerSecond), `${show(slowest)}..${show(fastest)}`, ...figures, verdict];
}
