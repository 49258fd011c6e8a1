// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { show } from '../lib/report.mjs';
import { currentRuntime, findNode } from '../lib/runtimes.mjs';
import { semabench, summarize } from '../lib/semabench.mjs';
import { median } from '../lib/statistics.mjs';

/** @typedef {import('../lib/runtimes.mjs').Runtime} Runtime */
/** @typedef {{ title: string, subject: import('../subjects/subject.mjs').SubjectName, operation: 'acquire' | 'locked', flags?: string[], since: number }} Peer */
/** @typedef {import('../lib/context.mjs').Context} Context */

export const name = 'peers';
export const summary = 'the same work through the locks that people use today';

/** @type {Peer[]} */
const peers = [
  { title: 'Sluice semaphore (fair)', subject: 'sluice', operation: 'acquire', since: 20 },
  { title: 'textbook futex mutex', subject: 'textbook-mutex', operation: 'acquire', since: 20 },
  { title: 'V8 Atomics.Mutex', subject: 'atomics-mutex', operation: 'locked', flags: ['--harmony-struct'], since: 20 },
  { title: 'multithreading Mutex', subject: 'multithreading-mutex', operation: 'acquire', since: 21 },
  { title: 'multithreading Semaphore', subject: 'multithreading-semaphore', operation: 'acquire', since: 21 },
];

/** @param {Context} context */
export async function run(context) {
  const node24 = await findNode(24, { fetch: !context.quick });
  if (node24 === null) context.report.note('skipped: npm `multithreading` needs Node 21, and no Node 24 was found (name one in SLUICE_NODE24)');
  const runtimes = node24 === null || node24.path === currentRuntime.path ? [currentRuntime] : [currentRuntime, node24];
  for (const runtime of runtimes) {
    const able = peers.filter(({ since }) => runtime.major >= since);
    await compareUncontended(context, runtime, able);
    await compareContended(context, runtime, able);
  }
}

/** @param {Context} context @param {Runtime} runtime @param {Peer[]} able */
async function compareUncontended({ report, quick, repetitions }, runtime, able) {
  const sizes = quick ? { blocks: 3, blockMillis: 1 } : { blocks: 15, blockMillis: 8 };
  const measurements = new Map(
    able.map(({ title, subject, operation, flags }) => [
      title,
      async () => {
        const result = await runJob('uncontended', { subject, operation, ...sizes }, { timeoutMs: 60_000, runtime, flags });
        return /** @type {import('../jobs/uncontended.mjs').UncontendedResult} */ (result);
      },
    ]),
  );
  const rows = [];
  for (const [title, { values, failure }] of await interleave(measurements, repetitions, report.progress)) {
    if (failure !== null) {
      report.fail(`${title} on ${runtime.name}`, failure);
      continue;
    }
    const pairNanos = median(values.map((value) => value.pairNanos));
    const ratio = median(values.map((value) => value.ratio));
    report.add({ subject: title, runtime: runtime.name, work: 'uncontended', repetitions, pairNanos, ratio, samples: values });
    rows.push([title, show(pairNanos), show(ratio)]);
  }
  report.table(`Uncontended on ${runtime.name}, median of ${repetitions}`, ['lock', 'ns/pair', 'over two Atomics.add'], rows);
}

/** @param {Context} context @param {Runtime} runtime @param {Peer[]} able */
async function compareContended({ report, quick, repetitions }, runtime, able) {
  const times = quick ? { seconds: 0.05, warmUpSeconds: 0.02 } : { seconds: 2, warmUpSeconds: 0.3 };
  const rows = [];
  for (const workers of quick ? [2] : [2, 4, 8]) {
    const measurements = new Map(
      able.map(({ title, subject, flags }) => [title, () => semabench({ subject, workers, ...times }, { runtime, flags })]),
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
      rows.push([String(workers), title, show(summary.pairsPerSecond), spread, show(summary.fairness), show(summary.fairnessWorst), show(summary.cpuMicrosPerPair)]);
    }
  }
  report.table(`Semabench on ${runtime.name}, median of ${repetitions}`, ['workers', 'lock', 'pairs/s', 'slowest..fastest', 'min/max', 'worst', 'CPU us/pair'], rows);
}
