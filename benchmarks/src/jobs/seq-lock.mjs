// @ts-check
// How many reads of a shared value a second some threads make, while others write it.
import { Arena, Region } from '@sluice/core';
import { RwLock } from '@sluice/rw-lock';
import { SeqLock } from '@sluice/seq-lock';
import { Worker } from 'node:worker_threads';
import { main } from '../lib/jobs.mjs';

/** @typedef {'plain' | 'seq-lock' | 'seq-lock-function' | 'snapshot' | 'by-hand' | 'rw-lock'} Way */

/**
 * @typedef {object} SeqLockSpecification
 * @property {Way} way
 * @property {number} byteLength
 * @property {number} readers
 * @property {number} writers
 * @property {number} seconds
 * @property {number} warmUpSeconds
 */

/** @typedef {{ reads: number, failed: number, seconds: number }} ReaderResult */
/** @typedef {{ readsPerSecond: number, reads: number, failed: number }} SeqLockResult of all readers together */

/** Words of `control`. */
export const GO = 0;
export const STOP = 1;
export const READY = 2;

await main(
  async (/** @type {SeqLockSpecification} */ { way, byteLength, readers, writers, seconds, warmUpSeconds }) => {
    const arena = Arena.create({ maxPages: 64 });
    const seqLock = SeqLock.create({ arena, byteLength }).handle;
    const rwLock = RwLock.create({ arena }).handle;
    // Behind the words of the value: the sequence of the seq-lock by hand.
    const region = Region.create(byteLength + 4, { arena }).handle;
    const control = new Int32Array(new SharedArrayBuffer(12));
    const threads = Array.from(
      { length: readers + writers },
      (_, index) =>
        new Worker(new URL('../workers/seq-lock.mjs', import.meta.url), {
          workerData: { way, byteLength, seqLock, rwLock, region, control, writes: index >= readers },
        }),
    );
    const results = Promise.all(
      threads.slice(0, readers).map(
        (thread) =>
          new Promise((/** @type {(result: ReaderResult) => void} */ resolve, reject) => {
            thread.once('message', resolve);
            thread.once('error', reject);
          }),
      ),
    );
    for (const thread of threads.slice(readers))
      thread.once('error', (error) => {
        throw error;
      });
    while (Atomics.load(control, READY) < threads.length) await wait(1);
    await wait(warmUpSeconds * 1000);
    Atomics.store(control, GO, 1);
    await wait(seconds * 1000);
    Atomics.store(control, STOP, 1);
    const all = await results;
    const sum = (/** @type {(result: ReaderResult) => number} */ of) =>
      all.reduce((total, result) => total + of(result), 0);
    return {
      readsPerSecond: sum((result) => result.reads / result.seconds),
      reads: sum((result) => result.reads),
      failed: sum((result) => result.failed),
    };
  },
);

/** @param {number} ms */
function wait(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
