// @ts-check
import { Mutex } from '@sluice/mutex';
import { sum } from '../lib/statistics.mjs';
import { sharedInts } from './tester.mjs';

/** @typedef {{ mutex: Mutex['handle'], value: Int32Array }} Shared */

/** @param {import('@sluice/core').Arena} arena @returns {Shared} */
export function create(arena) {
  return { mutex: Mutex.create({ arena }).handle, value: sharedInts(1) };
}

/** One more on a shared counter, under the mutex, again and again. @param {Shared} shared */
export function open({ mutex: handle, value }) {
  const mutex = Mutex.from(handle);
  return (/** @type {number} */ rounds) => {
    for (let i = 0; i < rounds; i++) {
      mutex.lock();
      value[0] = (value[0] ?? 0) + 1;
      mutex.unlock();
    }
    return rounds;
  };
}

/** @param {Shared} shared @param {number[]} results */
export const passed = ({ value }, results) => value[0] === sum(results);
