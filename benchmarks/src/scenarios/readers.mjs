// @ts-check
import { interleave } from '../lib/repeat.mjs';
import { show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { pairs, summarize } from '../lib/pairs.mjs';
import { median, pairedRatios } from '../lib/statistics.mjs';

/** @typedef {import('../lib/context.mjs').Context} Context */
/** @typedef {import('../lib/pairs.mjs').PairsResult} PairsResult */

export const name = 'readers';
export const summary = 'workers that only read, through both sides of the read-write lock and through the mutex';

const locks = /** @type {const} */ ([
  ['RwLock.reader', 'rw-lock-reader'],
  ['RwLock.writer', 'rw-lock-writer'],
  ['Mutex', 'mutex'],
]);
const head = [
  'workers',
  'lock',
  'pairs/s',
  'slowest..fastest',
  'each worker',
  'of one worker',
  'min/max',
  'CPU us/pair',
];

/** @param {Context} context */
export async function run(context) {
  for (const steps of context.quick ? [1] : [1, 1000]) await scale(context, steps);
}

/** @param {Context} context @param {number} steps inside the lock */
async function scale({ report, quick, repetitions }, steps) {
  const times = quick ? { seconds: 0.05, warmUpSeconds: 0.02 } : { seconds: 1, warmUpSeconds: 0.3 };
  /** @type {Map<string, readonly PairsResult[]>} */
  const alone = new Map();
  const rows = [];
  for (const workers of quick ? [1, 2] : [1, 2, 4, 8]) {
    const measurements = new Map(
      locks.map(([title, subject]) => [title, () => pairs({ subject, workers, readOnly: steps, ...times })]),
    );
    const progress = (/** @type {string} */ line) =>
      report.progress(`${steps} steps inside, ${workers} workers ${line}`);
    for (const [title, { values, failure }] of await interleave(measurements, repetitions, progress)) {
      if (failure !== null) {
        report.fail(`${title} at ${workers} workers, ${steps} steps inside`, failure);
        continue;
      }
      if (workers === 1) alone.set(title, values);
      const summary = summarize(values);
      const each = summary.pairsPerSecond / workers;
      const ofOneWorker = median(pairedRatios(ratesOf(values), ratesOf(alone.get(title) ?? [])));
      const point = { subject: title, stepsInside: steps, workers, repetitions };
      report.add({ ...point, ...summary, pairsPerSecondEach: each, ofOneWorker, samples: values });
      const spread = `${show(summary.slowest)}..${show(summary.fastest)}`;
      const figures = [each, ofOneWorker, summary.fairness, summary.cpuMicrosPerPair].map(show);
      rows.push([String(workers), title, show(summary.pairsPerSecond), spread, ...figures]);
    }
  }
  const work = `${steps} ${steps === 1 ? 'step' : 'steps'} inside, ${times.seconds} s for each point`;
  report.table(`Readers only on ${currentRuntime.name}, ${work}, median of ${repetitions}`, head, rows);
}

/** @param {readonly PairsResult[]} values */
const ratesOf = (values) => values.map(({ pairsPerSecond }) => pairsPerSecond);
