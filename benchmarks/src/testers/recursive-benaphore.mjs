// @ts-check
import { RecursiveMutex } from '@sluice/mutex';
import { RandomWork } from '../lib/random-work.mjs';
import { sum } from '../lib/statistics.mjs';
import { sharedInts } from './tester.mjs';

/** @typedef {{ mutex: RecursiveMutex['handle'], value: Int32Array }} Shared */

/** @param {import('@sluice/core').Arena} arena @returns {Shared} */
export function create(arena) {
  return { mutex: RecursiveMutex.create({ arena }).handle, value: sharedInts(1) };
}

/**
 * A little work, then to another depth, 0 to 3 and mostly low, by `lock` or by `tryLock`, which may stay short of it;
 * and more on a shared counter if the mutex is held then. Held from one round to the next as often as not.
 * @param {Shared} shared
 * @param {number} worker
 */
export function open({ mutex: handle, value }, worker) {
  const mutex = RecursiveMutex.from(handle);
  const random = new RandomWork(worker + 1);
  return (/** @type {number} */ rounds) => {
    let added = 0;
    let depth = 0;
    let last = 0;
    for (let i = 0; i < rounds; i++) {
      random.do(random.below(4));
      if (depth > 0 && value[0] !== last) throw new Error('another worker changed what the mutex guards');
      const wanted = Math.floor(random.fraction() ** 2 * 4);
      for (; depth > wanted; depth--) mutex.unlock();
      const willWait = random.below(2) === 0;
      for (; depth < wanted; depth++) {
        if (willWait) mutex.lock();
        else if (!mutex.tryLock()) break;
      }
      if (depth === 0) continue;
      last = value[0] = (value[0] ?? 0) + worker + 1;
      added += worker + 1;
    }
    for (; depth > 0; depth--) mutex.unlock();
    return added;
  };
}

/** @param {Shared} shared @param {number[]} results */
export const passed = ({ value }, results) => value[0] === sum(results);
