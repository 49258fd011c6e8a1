// @ts-check
// Workers that stand in line for a mutex when they are told to, and write down when they got it.
import { Region } from '@sluice/core';
import { openMutex } from './storm.mjs';

/** @import { RegionHandle } from '@sluice/core' */
/** @import { AnyHandle } from './storm.mjs' */

/** Words of a worker: a number that is raised when it is to join, how it joins, how often it left again. */
export const TURN = 0;
export const WAY = 1;
export const LEFT = 2;
export const WORKER_WORDS = 4;
/** Values of the word WAY. */
export const BLOCKING = 0;
export const PATIENT = 1;
export const ASYNC = 2;
/** Waits so many ms and leaves. */
export const LEAVES = 3;
const LEAVES_AFTER_MS = 2;
/** Longer than any wait that ends well. */
const PATIENCE_MS = 60_000;

/**
 * @typedef {object} LineData
 * @property {AnyHandle} mutex
 * @property {RegionHandle} control
 * @property {RegionHandle} log how many had the mutex in this round, then who: plain words, which the mutex protects
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
      if (mutex.tryLock(LEAVES_AFTER_MS)) throw new Error('a waiter had the mutex that should have left');
      Atomics.add(words, mine + LEFT, 1);
      continue;
    }
    if (way === ASYNC) await mutex.lockAsync();
    else if (way === BLOCKING) mutex.lock();
    else if (!mutex.tryLock(PATIENCE_MS)) throw new Error('a waiter lost patience');
    const at = (entries[0] ?? 0) + 1;
    entries[at] = index;
    entries[0] = at;
    mutex.unlock();
  }
}
