// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { median } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/async-turns.mjs').AsyncTurnsResult} AsyncTurnsResult */

export const name = 'async-turns';
export const summary = 'two threads that make 2,000 async calls each on one mutex: tasks a ms, and the longest turn';

const CASES = [
  { title: "order 'turns', the first round", order: 'turns', alternating: true, rounds: 1, hasBars: true },
  { title: "order 'turns', the fifth", order: 'turns', alternating: true, rounds: 5, hasBars: true },
  { title: "order 'turns', the fifth, calls in the order of arrival", order: 'turns', alternating: false, rounds: 5 },
  { title: "order 'fifo', the fifth", order: 'fifo', alternating: true, rounds: 5 },
];
const TASKS_PER_MS = { atLeast: 100 };
/** A turn is half a millisecond. The rest is for the task that it ends with, and for a thread that loses its core. */
const LONGEST_TURN_MS = { atMost: 2 };

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick, repetitions }) {
  const calls = quick ? 100 : 2000;
  const threads = 2;
  const measurements = new Map(
    CASES.map(({ title, order, alternating, rounds }) => [
      title,
      async () =>
        /** @type {AsyncTurnsResult} */ (
          await runJob('async-turns', { order, alternating, threads, calls, rounds }, { timeoutMs: 60_000 })
        ),
    ]),
  );
  const outcomes = await interleave(measurements, repetitions, report.progress);
  const rows = [];
  for (const { title, hasBars = false } of CASES) {
    const { values, failure } = outcomes.get(title) ?? { values: [], failure: 'not measured' };
    if (failure !== null) {
      report.fail(title, failure);
      continue;
    }
    const tasksPerMs = median(values.map((value) => value.tasksPerMs));
    const switches = median(values.map((value) => value.switches));
    const longestTurnMillis = median(values.map((value) => value.longestTurnMillis));
    const bars =
      quick || !hasBars
        ? []
        : [
            bar(`${title}: tasks a ms`, tasksPerMs, TASKS_PER_MS),
            bar(`${title}: the longest turn`, longestTurnMillis, LONGEST_TURN_MS),
          ];
    const figures = { tasksPerMs, switches, longestTurnMillis };
    report.add({
      subject: title,
      calls,
      threads,
      runtime: currentRuntime.name,
      repetitions,
      ...figures,
      samples: values,
      bars,
    });
    rows.push([title, ...Object.values(figures).map(show), bars.map(({ met }) => (met ? 'met' : 'MISSED')).join(', ')]);
  }
  report.table(
    `${threads} threads with ${calls} async calls each on one mutex, on ${currentRuntime.name}, median of ${repetitions}`,
    ['calls', 'tasks/ms', 'switches', 'longest turn ms', 'bars'],
    rows,
  );
}
