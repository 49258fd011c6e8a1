// @ts-check
// A worker that adds to words, each under the lock of its key.
import { hasCode, Region } from '@sluice/core';
import { Random } from '../../../../tools/harness/src/random.mjs';
import { KeyedMutex } from '@sluice/named';
import { workerData } from 'node:worker_threads';

/** The number of keys, and of words. */
export const KEYS = 8;

/**
 * @typedef {{ keyed: import('@sluice/named').KeyedMutexHandle, sums: import('@sluice/core').RegionHandle, rounds:
 *   number, seed: number }} KeysData
 */

/** @param {KeysData} data */
export async function add({ keyed: handle, sums: region, rounds, seed }) {
  const keyed = KeyedMutex.from(handle);
  const sums = Region.from(region).int32;
  const random = new Random(seed);
  for (let round = 0; round < rounds; round++) {
    const which = random.below(KEYS);
    const key = `key ${which}`;
    const how = random.below(8);
    try {
      if (how === 0) await keyed.lockAsync(key);
      else if (how === 1) while (!keyed.tryLock(key, 0.05));
      else keyed.lock(key);
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_OWNER_DIED')) throw failure;
      keyed.markConsistent(key);
    }
    // Not atomic: two simultaneous owners would lose one of two increments.
    sums[which] = (sums[which] ?? 0) + 1;
    keyed.unlock(key);
  }
}

if (workerData !== null && typeof workerData === 'object' && 'keyed' in workerData)
  void add(/** @type {KeysData} */ (workerData));
