// @ts-check
// A worker that writes or reads until it is killed.
import { SeqLock } from '@sluice/seq-lock';
import { workerData } from 'node:worker_threads';
import { next, numberIn } from './value.mjs';

/** @typedef {{ lock: import('@sluice/seq-lock').SeqLockHandle, writes: boolean }} KilledData */

/** @param {KilledData} data */
export function live({ lock: handle, writes }) {
  const lock = SeqLock.from(handle);
  const [value, snapshot] = [lock.read(), lock.snapshot()];
  for (let last = 0; ; ) {
    const number = writes ? lock.update(next) : numberIn(lock.read(value));
    if (snapshot.refresh() && numberIn(snapshot) < number)
      throw new Error(`A snapshot of ${number} or later has ${numberIn(snapshot)}.`);
    if (number < last) throw new Error(`The value went back from ${last} to ${number}.`);
    last = number;
  }
}

if (workerData !== null && typeof workerData === 'object' && 'writes' in workerData)
  live(/** @type {KilledData} */ (workerData));
