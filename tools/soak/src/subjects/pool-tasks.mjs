// @ts-check
// What the pool's workers run.
import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';

/** @import { TaskContext } from '@sluice/worker-pool' */
/** @import { Task } from './pool.mjs' */

const runs = /** @type {Int32Array} */ (workerData);

/** @param {Task} task @param {TaskContext} context */
export async function work({ id, deed, padding }, context) {
  Atomics.add(runs, id, 1);
  if (deed === 'fail') throw new Error(`task ${id} fails`);
  if (deed === 'hang') while (!context.aborted);
  if (deed === 'sleep') await sleep(1);
  return `${id} ${deed} ${padding}`;
}
