// @ts-check
// How often a pool runs a task, or threads pass a lock, in each slice of time before and after one of the workers is
// killed.
import { WorkerPool } from '@sluice/worker-pool';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { Arena } from '@sluice/core';
import { Piscina } from 'piscina';
import { main } from '../lib/jobs.mjs';
import { KILLED, OTHER_WORDS } from '../lib/recovery.mjs';
import { sleep, until } from '../lib/sleep.mjs';
import { loadSubject } from '../subjects/subject.mjs';

/** @typedef {'pool' | 'lock'} What */
/** @typedef {{ what: What, subject: string, sliceMs: number, slices: number, killAfter: number }} RecoverySpecification */
/** @typedef {{ perSlice: number[], failed: number }} RecoveryResult */

const POOL_WORKERS = 2;
const LOCK_WORKERS = 4;
const MICROS = 200;
/** More tasks than workers, so that no worker waits for its next one. */
const UNDER_WAY = 16;
const WARM_UP_MS = 500;

await main((/** @type {RecoverySpecification} */ specification) =>
  specification.what === 'pool' ? measurePool(specification) : measureLock(specification),
);

/**
 * Reads the counter at the end of each slice. Kills after so many slices.
 * @param {RecoverySpecification} specification
 * @param {() => number} count
 * @param {() => void} kill
 */
async function slicesOf({ sliceMs, slices, killAfter }, count, kill) {
  const perSlice = [];
  await sleep(WARM_UP_MS);
  const began = performance.now();
  let before = count();
  for (let n = 0; n < slices; n++) {
    if (n === killAfter) kill();
    await sleep(Math.max(0, began + (n + 1) * sliceMs - performance.now()));
    const now = count();
    perSlice.push(now - before);
    before = now;
  }
  return perSlice;
}

/** @param {RecoverySpecification} specification @returns {Promise<RecoveryResult>} */
async function measurePool(specification) {
  const filename = fileURLToPath(new URL('../tasks/recovery.mjs', import.meta.url));
  const name = 'workOrDie';
  const pool =
    specification.subject === 'piscina'
      ? new Piscina({ filename, name, minThreads: POOL_WORKERS, maxThreads: POOL_WORKERS })
      : new WorkerPool({ filename, name, size: POOL_WORKERS });
  let [count, failed, isOver] = [0, 0, false];
  const lane = async () => {
    while (!isOver) {
      await pool.run(MICROS);
      count += 1;
    }
  };
  const lanes = Array.from({ length: UNDER_WAY }, lane);
  const perSlice = await slicesOf(
    specification,
    () => count,
    () => void pool.run(Infinity).catch(() => (failed += 1)),
  );
  isOver = true;
  await Promise.all(lanes);
  await pool.destroy();
  return { perSlice, failed };
}

/** @param {RecoverySpecification} specification @returns {Promise<RecoveryResult>} */
async function measureLock(specification) {
  const subject = /** @type {'mutex' | 'textbook-mutex'} */ (specification.subject);
  const { create } = await loadSubject(subject);
  const handle = create({});
  const words = new Int32Array(new SharedArrayBuffer(4 * (LOCK_WORKERS + OTHER_WORDS)));
  const workers = Array.from({ length: LOCK_WORKERS }, (_, worker) => {
    const thread = new Worker(new URL('../workers/recovery.mjs', import.meta.url), {
      workerData: { subject, handle, words, worker },
    });
    // The lock of a dead worker passes on.
    if (subject === 'mutex') Arena.from(/** @type {{ arena: Arena['handle'] }} */ (handle).arena).watch(thread);
    return thread;
  });
  const count = () => words.subarray(OTHER_WORDS).reduce((sum, one) => sum + one, 0);
  await until(() => words.subarray(OTHER_WORDS).every((one) => one > 0));
  const perSlice = await slicesOf(specification, count, () => Atomics.store(words, KILLED, 1));
  await Promise.all(workers.map((worker) => worker.terminate()));
  return { perSlice, failed: 0 };
}
