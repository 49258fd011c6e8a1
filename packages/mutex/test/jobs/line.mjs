// @ts-check
// Workers that wait for a mutex when the main thread tells them to, and log each acquisition.
import { Region } from '@sluice/core';
import { openMutex } from './storm.mjs';

/** @import { RegionHandle } from '@sluice/core' */
/** @import { AnyHandle } from './storm.mjs' */

/**
 * Words of a worker: a number that the main thread increments to make it wait, how it waits, and how often it timed
 * out.
 */
export const TURN = 0;
export const WAY = 1;
export const LEFT = 2;
export const WORKER_WORDS = 4;
/** Values of the word WAY. */
export const BLOCKING = 0;
export const PATIENT = 1;
export const ASYNC = 2;
/** Times out after that number of ms. */
export const LEAVES = 3;
const LEAVES_AFTER_MS = 2;
/** In ms. Longer than any wait of a test that passes. */
const PATIENCE_MS = 60_000;

/**
 * @typedef {object} LineData
 * @property {AnyHandle} mutex
 * @property {RegionHandle} control
 * @property {RegionHandle} log the number of owners in this round, then the owners: plain words, which the mutex
 *   protects
 * @property {number} rounds
 */

/** @param {LineData} data @param {import('@sluice/harness').JobContext} context */
export async function joinLine({ mutex: handle, control, log, rounds }, { index }) {
  const mutex = openMutex(handle);
  const words = Region.from(control).int32;
  const entries = Region.from(log).int32;
  const mine = index * WORKER_WORDS;
  for (let round = 0; round < rounds; round++) {
    Atomics.wait(words, mine + TURN, round);
    const way = Atomics.load(words, mine + WAY);
    if (way === LEAVES) {
      if (mutex.tryLock(LEAVES_AFTER_MS)) throw new Error('a waiter that should have timed out got the mutex');
      Atomics.add(words, mine + LEFT, 1);
      continue;
    }
    if (way === ASYNC) await mutex.lockAsync();
    else if (way === BLOCKING) mutex.lock();
    else if (!mutex.tryLock(PATIENCE_MS)) throw new Error('a wait timed out');
    const at = (entries[0] ?? 0) + 1;
    entries[at] = index;
    entries[0] = at;
    mutex.unlock();
  }
}
