// @ts-check
// The tasks of the storm's workers.
import { Region } from '@sluice/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';

/**
 * @typedef {{
 *   readonly id: number,
 *   readonly deed: 'compute' | 'sleep' | 'exit' | 'throw' | 'fail' | 'exitAfter' | 'hang' | 'spin',
 *   readonly padding: string
 * }} StormTask
 */

const runs = Region.from(workerData).int32;

/**
 * @param {StormTask} task
 * @param {import('@sluice/worker-pool').TaskContext} context
 */
export default async function work({ id, deed, padding }, context) {
  Atomics.add(runs, id, 1);
  if (deed === 'exit') process.exit(1);
  if (deed === 'throw') await new Promise(() => setImmediate(fail, id));
  if (deed === 'fail') fail(id);
  if (deed === 'exitAfter') setImmediate(() => process.exit(2));
  if (deed === 'hang') while (!context.aborted || id % 2 === 0);
  if (deed === 'spin') while (!context.aborted);
  if (deed === 'sleep') await sleep(1);
  return `${id} ${deed} ${padding}`;
}

/** @param {number} id */
function fail(id) {
  throw new Error(`task ${id} fails`);
}
