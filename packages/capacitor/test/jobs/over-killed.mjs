// @ts-check A worker that goes through a capacitor over a semaphore, and through a lock behind it, until it is told to
// end or is killed.
import { CapacitorLock, SemaphoreCapacitor } from '@sluice/capacitor';
import { TicketSemaphore, TtsLock } from '@sluice/classics';
import { Region } from '@sluice/core';
import { workerData } from 'node:worker_threads';

/** @import { CapacitorLockHandle, SemaphoreCapacitorHandle } from '@sluice/capacitor' */
/** @import { FamilyHandle, TtsLockHandle } from '@sluice/classics' */
/** @import { RegionHandle } from '@sluice/core' */

/** Words: 1 when the workers are to end; how many are inside; per worker, how often it passed. */
export const ENDS = 0;
export const INSIDE = 1;
export const PASSES = 2;

/**
 * @typedef {object} OverData
 * @property {SemaphoreCapacitorHandle} gate
 * @property {FamilyHandle} semaphore
 * @property {CapacitorLockHandle} lock
 * @property {TtsLockHandle} inner
 * @property {RegionHandle} words
 * @property {number} index
 * @property {number} limit
 */

/** @param {OverData} data */
function live({ gate: handle, semaphore, lock: at, inner, words: region, index }) {
  const gate = SemaphoreCapacitor.from(handle, TicketSemaphore.from(semaphore));
  const lock = CapacitorLock.from(at, TtsLock.from(inner), { gate });
  const words = Region.from(region).int32;
  while (Atomics.load(words, ENDS) === 0) {
    lock.run(() => (words[INSIDE] = (words[INSIDE] ?? 0) + 1), { onOwnerDied: (guard) => guard.markConsistent() });
    if (gate.tryArrive(1)) gate.depart();
    Atomics.add(words, PASSES + index, 1);
  }
}

// The test imports the constants.
if (workerData !== null && typeof workerData === 'object' && 'limit' in workerData)
  live(/** @type {OverData} */ (workerData));
