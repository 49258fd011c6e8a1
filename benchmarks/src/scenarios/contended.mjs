// @ts-check
import { compareContended, peerMutexes } from '../lib/contended.mjs';
import { bar } from '../lib/report.mjs';
import { currentRuntime, findNode } from '../lib/runtimes.mjs';
import { median, pairedRatios } from '../lib/statistics.mjs';

export const name = 'contended';
export const summary = 'the mutex at 2 to 64 workers, against those that people use today';

/** @type {import('../lib/contended.mjs').Contender[]} */
const mutexes = [
  { title: 'Sluice Mutex', subject: 'mutex', since: 20 },
  { title: 'Sluice Mutex, fifo', subject: 'mutex-fifo', since: 20 },
  ...peerMutexes,
];

const points = {
  workers: [2, 4, 8, 16, 32, 64],
  seconds: 3,
  warmUpSeconds: 0.5,
  warmUpSecondsEach: 0.05,
  waitSeconds: 2,
};
const quickPoints = { workers: [2, 4], seconds: 0.05, warmUpSeconds: 0.02, waitSeconds: 0.05 };

const barsFrom = 4;
const fairnessBar = { atLeast: 0.95 };
/** Throughput of Sluice's mutex over each of them. */
const throughputBars = new Map([
  ['textbook futex mutex', { atLeast: 0.5 }],
  ['V8 Atomics.Mutex', { atLeast: 3 }],
]);

/** @type {import('../lib/contended.mjs').BarsOf} */
function barsOf(title, workers, outcomes) {
  const ours = outcomes.get(title)?.values ?? [];
  if (title !== 'Sluice Mutex' || workers < barsFrom || ours.length === 0) return [];
  const fair = bar(
    `fairness of the mutex at ${workers} workers`,
    median(ours.map(({ fairness }) => fairness)),
    fairnessBar,
  );
  const rates = ours.map(({ pairsPerSecond }) => pairsPerSecond);
  const ratios = [...throughputBars].flatMap(([peer, limit]) => {
    const theirs = outcomes.get(peer)?.values.map(({ pairsPerSecond }) => pairsPerSecond) ?? [];
    if (theirs.length === 0) return [];
    return [
      bar(`throughput of the mutex over ${peer} at ${workers} workers`, median(pairedRatios(rates, theirs)), limit),
    ];
  });
  return [fair, ...ratios];
}

/**
 * All on the same Node, the newest, since not all of them run on an older one.
 * @param {import('../lib/context.mjs').Context} context
 */
export async function run(context) {
  const { report, quick } = context;
  const node26 = await findNode(26, { fetch: !quick });
  if (node26 === null)
    report.note('no Node 26 was found (name one in SLUICE_NODE26): taken on this one, with what runs here');
  await compareContended(
    context,
    node26 ?? currentRuntime,
    mutexes,
    quick ? quickPoints : points,
    quick ? undefined : barsOf,
  );
}
