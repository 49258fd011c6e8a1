// @ts-check
import os from 'node:os';
import { chooseSeries } from '../lib/choose.mjs';
import { checked, mutexbench, summarize } from '../lib/mutexbench.mjs';
import { buildNative } from '../lib/native.mjs';
import { interleave } from '../lib/repeat.mjs';
import { show } from '../lib/report.mjs';
import { currentRuntime, findNode } from '../lib/runtimes.mjs';
import { barsOf } from './mutexbench-bars.mjs';
import { chooseSubjects } from './mutexbench-subjects.mjs';

/** @typedef {import('../lib/context.mjs').Context} Context */
/** @typedef {import('../lib/mutexbench.mjs').MutexbenchPoint} MutexbenchPoint */
/** @typedef {import('../jobs/mutexbench.mjs').MutexbenchResult} MutexbenchResult */
/** @typedef {import('./mutexbench-subjects.mjs').Subject} Subject */
/**
 * @typedef {{ runtime: import('../lib/runtimes.mjs').Runtime, native: import('../lib/native.mjs').Native | string }}
 *   Means
 */

export const name = 'mutexbench';
export const summary = 'five locks, bare and behind capacitors, beside others, at 1 to 64 workers (takes hours)';
export const repetitions = 11;
export const onlyWhenNamed = true;

const allSeries = ['empty', 'private'];
const rates = ['ops/s', 'slowest..fastest'];
const head = [
  'lock',
  ...rates,
  'min/max',
  'worst',
  'deviation',
  'bypass, worst',
  '99.9 %',
  'CPU us/op',
  'sleeps/op',
  'MiB',
  'bar',
];

/** @param {Context} context */
export async function run(context) {
  const { report, quick, choice } = context;
  const { workers: numbers = quick ? [1, 4, 16] : [1, 2, 4, 8, 16, 32, 64] } = choice;
  const series = chooseSeries('mutexbench', allSeries, choice.series);
  const means = { runtime: await chooseRuntime(context), native: await buildNative() };
  const subjects = runnable(context, chooseSubjects(choice.subjects), means);
  const points = series.flatMap((one) => numbers.map((workers) => pointOf(context, workers, one === 'private')));
  const minutes =
    (points.reduce((sum, point) => sum + secondsOf(point), 0) * subjects.length * context.repetitions) / 60;
  report.note(`${points.length * subjects.length} points, about ${Math.ceil(minutes)} minutes`);
  const cores = os.availableParallelism();
  for (const point of points) {
    const fitting = subjects.filter(({ spins }) => spins !== true || point.workers <= 8 * cores);
    await measurePoint(context, point, fitting, means);
  }
}

/** All on the same Node, the newest, since not all of them run on an older one. @param {Context} context */
async function chooseRuntime({ report, quick }) {
  const node26 = await findNode(26, { fetch: !quick });
  if (node26 === null)
    report.note('no Node 26 was found (name one in SLUICE_NODE26): taken on this one, with what runs here');
  return node26 ?? currentRuntime;
}

/** @param {Context} context @param {readonly Subject[]} subjects @param {Means} means */
function runnable({ report }, subjects, { runtime, native }) {
  if (typeof native === 'string' && subjects.some((subject) => subject.native)) report.note(`skipped: ${native}`);
  return subjects.filter((subject) =>
    subject.native ? typeof native !== 'string' : runtime.major >= (subject.since ?? 0),
  );
}

/**
 * The more workers, the longer until all have met often enough for their code to be compiled.
 * @param {Context} context
 * @param {number} workers
 * @param {boolean} privateStep
 * @returns {MutexbenchPoint}
 */
function pointOf({ quick, choice }, workers, privateStep) {
  const times = quick
    ? { seconds: 0.3, warmUpSeconds: 0.1, patienceSeconds: 0, recordSeconds: 0.05 }
    : { seconds: 3, warmUpSeconds: 0.3 + 0.02 * workers, patienceSeconds: 10, recordSeconds: 0.2 };
  return { workers, privateStep, ...times, seconds: choice.seconds ?? times.seconds };
}

/**
 * With what it takes to start a process and its workers, and to look at what they did.
 * @param {MutexbenchPoint} point
 */
function secondsOf({ workers, seconds, warmUpSeconds, recordSeconds }) {
  return 1.1 * seconds + warmUpSeconds + recordSeconds + 0.4 + 0.05 * workers;
}

/** @param {Subject} subject @param {MutexbenchPoint} point @param {Means} means @returns {Promise<MutexbenchResult>} */
async function measure({ subject, options, flags, native: lock }, point, { runtime, native }) {
  if (subject !== undefined) return mutexbench({ subject, ...(options && { options }), ...point }, { runtime, flags });
  if (lock === undefined || typeof native === 'string') throw new Error('a subject that cannot run here');
  return checked(await native.mutexbench(lock, point));
}

/** @param {Context} context @param {MutexbenchPoint} point @param {readonly Subject[]} subjects @param {Means} means */
async function measurePoint({ report, quick, repetitions }, point, subjects, means) {
  const { workers, privateStep, seconds } = point;
  const what = `${workers} workers, ${privateStep ? 'an own step' : 'nothing'} outside`;
  const measurements = new Map(subjects.map((subject) => [subject.key, () => measure(subject, point, means)]));
  const outcomes = await interleave(measurements, repetitions, (line) => report.progress(`${what} ${line}`));
  const rows = [];
  for (const { key, title, lock, variant, native } of subjects) {
    const { values, failure } = outcomes.get(key) ?? { values: [], failure: 'not measured' };
    if (failure !== null) {
      report.fail(`${title} at ${what}`, failure);
      continue;
    }
    const found = summarize(values);
    const bars = quick || privateStep ? [] : barsOf(key, workers, outcomes);
    const runtime = native === undefined ? means.runtime.name : 'C++';
    const series = privateStep ? 'private' : 'empty';
    report.add({
      subject: title,
      key,
      lock,
      variant,
      series,
      runtime,
      ...point,
      repetitions,
      ...found,
      samples: values,
      bars,
    });
    rows.push(rowOf(title, found, bars));
  }
  report.table(`MutexBench on ${means.runtime.name}, ${what}, ${seconds} s, median of ${repetitions}`, head, rows);
}

/**
 * @param {string} title
 * @param {ReturnType<typeof summarize>} found
 * @param {readonly import('../lib/report.mjs').Bar[]} bars
 */
function rowOf(title, found, bars) {
  const { operationsPerSecond, slowest, fastest, fairness, fairnessWorst, relativeDeviation, bypassWorst, bypassP999 } =
    found;
  const { cpuMicrosPerOperation, sleepsPerOperation, peakMiB } = found;
  const costs = [cpuMicrosPerOperation, sleepsPerOperation, peakMiB];
  const figures = [fairness, fairnessWorst, relativeDeviation, bypassWorst, bypassP999, ...costs];
  const verdict = bars.map(({ met }) => (met ? 'met' : 'MISSED')).join(', ');
  return [title, show(operationsPerSecond), `${show(slowest)}..${show(fastest)}`, ...figures.map(show), verdict];
}
