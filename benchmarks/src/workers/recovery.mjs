// @ts-check
// Passes a lock until the end. The first worker dies inside it when it is told to.
import { OwnerDiedError } from '@sluice/core';
import process from 'node:process';
import { workerData } from 'node:worker_threads';
import { KILLED, OTHER_WORDS } from '../lib/recovery.mjs';
import { asLock, loadSubject } from '../subjects/subject.mjs';

/** @typedef {import('../subjects/subject.mjs').Lock} Lock */
/**
 * @typedef {{ subject: 'mutex' | 'textbook-mutex', handle: never, words: Int32Array, worker: number }} RecoveryWorker
 */

const { subject, handle, words, worker } = /** @type {RecoveryWorker} */ (workerData);
const { open } = await loadSubject(subject);
const lock = /** @type {Lock} */ (asLock(open(handle)));
/** The lock of Sluice tells the next owner that the last one died. There is nothing to repair here. */
function acquire() {
  try {
    lock.acquire();
  } catch (failure) {
    if (!(failure instanceof OwnerDiedError)) throw failure;
    failure.guard?.markConsistent();
  }
}

for (;;) {
  acquire();
  if (worker === 0 && Atomics.load(words, KILLED) === 1) process.exit(7);
  lock.release();
  Atomics.add(words, OTHER_WORDS + worker, 1);
}
