// @ts-check
// A worker that takes tokens under a lock and waits for them with a condition. The main thread kills it at any point.
import { Condition, Mutex } from '@sluice/mutex';
import { hasCode, Region } from '@sluice/core';
import { workerData } from 'node:worker_threads';

/**
 * Words that the lock protects: whether the token is free, how often it was returned, and for each worker whether it
 * has the token.
 */
export const TOKENS = 0;
export const PASSES = 1;
export const HELD = 2;

/**
 * @typedef {{ mutex: import('@sluice/mutex').MutexHandle, condition: import('@sluice/mutex').ConditionHandle, words:
 *   import('@sluice/core').RegionHandle, index: number }} KilledData
 */

/** Runs until the worker is killed. @param {KilledData} data */
export function live({ mutex: handle, condition: at, words: region, index }) {
  const mutex = Mutex.from(handle);
  const condition = Condition.from(at, mutex);
  const words = Region.from(region).int32;
  const word = (/** @type {number} */ which) => words[which] ?? 0;
  const guarded = (/** @type {() => void} */ body) => {
    try {
      body();
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_OWNER_DIED') || failure.guard === undefined) throw failure;
      // The main thread repairs the words after each death.
      failure.guard.markConsistent();
      if (!mutex.owned) throw new Error('the heir does not own the lock', { cause: failure });
    }
  };
  for (let round = 0; ; round++) {
    guarded(() => mutex.lock());
    while (word(TOKENS) === 0) {
      guarded(() => {
        if (round % 3 === 0) condition.tryWait(0.1);
        else condition.wait();
      });
    }
    words[HELD + index] = 1;
    words[TOKENS] = 0;
    mutex.unlock();
    guarded(() => mutex.lock());
    words[TOKENS] = 1;
    words[HELD + index] = 0;
    words[PASSES] = word(PASSES) + 1;
    condition.notify();
    mutex.unlock();
  }
}

if (workerData !== null && typeof workerData === 'object' && 'condition' in workerData)
  live(/** @type {KilledData} */ (workerData));
