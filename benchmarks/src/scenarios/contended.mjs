// @ts-check
import { compareContended, peerMutexes } from '../lib/contended.mjs';
import { currentRuntime, findNode } from '../lib/runtimes.mjs';

export const name = 'contended';
export const summary = 'the mutex at 2 to 64 workers, against those that people use today';

/** @type {import('../lib/contended.mjs').Contender[]} */
const mutexes = [
  { title: 'Sluice Mutex', subject: 'mutex', since: 20 },
  { title: 'Sluice Mutex, fifo', subject: 'mutex-fifo', since: 20 },
  ...peerMutexes,
];

const points = { workers: [2, 4, 8, 16, 32, 64], seconds: 2, warmUpSeconds: 0.3 };
const quickPoints = { workers: [2, 4], seconds: 0.05, warmUpSeconds: 0.02 };

/**
 * All on the same Node, the newest, since not all of them run on an older one.
 * @param {import('../lib/context.mjs').Context} context
 */
export async function run(context) {
  const { report, quick } = context;
  const node26 = await findNode(26, { fetch: !quick });
  if (node26 === null) report.note('no Node 26 was found (name one in SLUICE_NODE26): taken on this one, with what runs here');
  await compareContended(context, node26 ?? currentRuntime, mutexes, quick ? quickPoints : points);
}
