// @ts-check
import { MeasurementError, runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { median } from '../lib/statistics.mjs';
import { head, rowOf } from './box-office-table.mjs';

/** @typedef {import('../jobs/box-office.mjs').BoxOfficeResult} BoxOfficeResult */
/** @typedef {keyof typeof policies} Policy */
/**
 * @typedef {{ title: string, tester: import('../testers/tester.mjs').TesterName, workers: number, rounds: number }}
 *   Test
 */

export const name = 'box-office';
export const summary = "Preshing's five tests, with bouncers that spin first and bouncers that park at once";

const policies = { spinning: {}, parking: { spinMicros: 0, longTermThreshold: 0 } };

/**
 * Threads and rounds are those of his test suite, but a tenth of the rounds for the events: those take seconds here.
 * @type {Test[]}
 */
const tests = [
  { title: 'testBenaphore', tester: 'benaphore', workers: 4, rounds: 400_000 },
  { title: 'testRecursiveBenaphore', tester: 'recursive-benaphore', workers: 4, rounds: 100_000 },
  { title: 'testAutoResetEvent', tester: 'auto-reset-event', workers: 4, rounds: 100_000 },
  { title: 'testRWLock', tester: 'rw-lock', workers: 4, rounds: 1_000_000 },
  { title: 'testDiningPhilosophers, lock-reduced', tester: 'lock-reduced-table', workers: 5, rounds: 10_000 },
  { title: 'testDiningPhilosophers, with a mutex', tester: 'mutex-table', workers: 5, rounds: 10_000 },
  { title: 'AutoResetEventCondVar, textbook mutex', tester: 'auto-reset-event-cond-var', workers: 4, rounds: 100_000 },
  {
    title: 'AutoResetEventCondVar, Mutex and Condition',
    tester: 'auto-reset-event-condition',
    workers: 4,
    rounds: 100_000,
  },
];

/** @param {import('../lib/context.mjs').Context} context */
export async function run(context) {
  const chosen = context.quick ? tests.map((test) => ({ ...test, rounds: test.rounds / 100 })) : tests;
  await compare(context, 'his numbers of threads', chosen);
  await compare(
    context,
    'two threads',
    chosen.map((test) => ({ ...test, workers: 2 })),
  );
}

/** @param {import('../lib/context.mjs').Context} context @param {string} threads @param {readonly Test[]} chosen */
async function compare({ report, repetitions }, threads, chosen) {
  const columns = /** @type {Policy[]} */ (Object.keys(policies));
  const cells = chosen.flatMap((test) => columns.map((policy) => ({ test, policy, key: `${test.title}, ${policy}` })));
  const measurements = new Map(cells.map(({ test, policy, key }) => [key, () => measure(test, policy)]));
  const outcomes = await interleave(measurements, repetitions, (line) => report.progress(`${threads}, ${line}`));
  for (const { test, policy, key } of cells) {
    const { values, failure } = outcomes.get(key) ?? { values: [], failure: 'not measured' };
    if (failure !== null) {
      report.fail(`${key}, ${threads}`, failure);
      continue;
    }
    const millis = median(values.map((value) => value.millis));
    const { title: subject, workers, rounds } = test;
    report.add({ subject, policy, workers, rounds, repetitions, millis, samples: values });
  }
  const rows = chosen.map((test) => rowOf(test, (title, policy) => outcomes.get(`${title}, ${policy}`)?.values ?? []));
  report.table(`The five tests on ${currentRuntime.name}, ${threads}, median of ${repetitions}`, head, rows);
}

/** @param {Test} test @param {Policy} policy */
async function measure({ tester, workers, rounds }, policy) {
  const specification = { tester, workers, rounds, warmUpRounds: rounds / 10, policy: policies[policy] };
  const result = /** @type {BoxOfficeResult} */ (await runJob('box-office', specification, { timeoutMs: 150_000 }));
  if (!result.passed) throw new MeasurementError('the test found something wrong');
  return result;
}
