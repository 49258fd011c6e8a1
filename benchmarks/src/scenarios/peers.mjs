// @ts-check
import { compareContended, peerMutexes } from '../lib/contended.mjs';
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { show } from '../lib/report.mjs';
import { currentRuntime, findNode } from '../lib/runtimes.mjs';
import { median } from '../lib/statistics.mjs';

/** @typedef {import('../lib/runtimes.mjs').Runtime} Runtime */
/** @typedef {import('../lib/contended.mjs').Contender} Peer */
/** @typedef {import('../lib/context.mjs').Context} Context */

export const name = 'peers';
export const summary = 'the same work through the locks that people use today';

/** @type {Peer[]} */
const peers = [
  { title: 'Sluice semaphore (fair)', subject: 'sluice', since: 20 },
  ...peerMutexes,
  { title: 'multithreading Semaphore', subject: 'multithreading-semaphore', since: 21 },
];

const points = { workers: [2, 4, 8], seconds: 2, warmUpSeconds: 0.3 };
const quickPoints = { workers: [2], seconds: 0.05, warmUpSeconds: 0.02 };

/** @param {Context} context */
export async function run(context) {
  const node24 = await findNode(24, { fetch: !context.quick });
  if (node24 === null)
    context.report.note(
      'skipped: npm `multithreading` needs Node 21, and no Node 24 was found (name one in SLUICE_NODE24)',
    );
  const runtimes = node24 === null || node24.path === currentRuntime.path ? [currentRuntime] : [currentRuntime, node24];
  for (const runtime of runtimes) {
    await compareUncontended(context, runtime);
    await compareContended(context, runtime, peers, context.quick ? quickPoints : points);
  }
}

/** @param {Context} context @param {Runtime} runtime */
async function compareUncontended({ report, quick, repetitions }, runtime) {
  const sizes = quick ? { blocks: 3, blockMillis: 1 } : { blocks: 15, blockMillis: 8 };
  const measurements = new Map(
    peers
      .filter(({ since }) => runtime.major >= since)
      .map(({ title, subject, flags }) => [
        title,
        async () => {
          const operation = subject === 'atomics-mutex' ? 'locked' : 'acquire';
          const result = await runJob(
            'uncontended',
            { subject, operation, ...sizes },
            { timeoutMs: 60_000, runtime, flags },
          );
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
    report.add({
      subject: title,
      runtime: runtime.name,
      work: 'uncontended',
      repetitions,
      pairNanos,
      ratio,
      samples: values,
    });
    rows.push([title, show(pairNanos), show(ratio)]);
  }
  report.table(
    `Uncontended on ${runtime.name}, median of ${repetitions}`,
    ['lock', 'ns/pair', 'over two Atomics.add'],
    rows,
  );
}
