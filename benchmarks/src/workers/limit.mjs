// @ts-check
// Calls an empty async function through a limit, its own or one that all workers share.
import { createLimit } from '@sluice/limit';
import pLimit from 'p-limit';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * @typedef {object} LimitAssignment
 * @property {import('@sluice/limit').LimitHandle | undefined} handle none: p-limit
 * @property {number} concurrency
 * @property {number} calls
 * @property {number} batch so many are made at a time
 * @property {SharedArrayBuffer} gate
 */

/** @type {LimitAssignment} */
const { handle, concurrency, calls, batch, gate } = workerData;
const limit = handle === undefined ? pLimit(concurrency) : createLimit.from(handle);
const word = new Int32Array(gate);

/** @param {number} count */
async function make(count) {
  let ran = 0;
  const work = () => {
    ran += 1;
    return Promise.resolve();
  };
  for (let left = count; left > 0; left -= batch)
    await Promise.all(Array.from({ length: Math.min(batch, left) }, () => limit(work)));
  return ran;
}

await make(Math.ceil(calls / 5));
Atomics.add(word, 0, 1);
Atomics.notify(word, 0);
Atomics.wait(word, 1, 0);
const ran = await make(calls);
parentPort?.postMessage(ran);
