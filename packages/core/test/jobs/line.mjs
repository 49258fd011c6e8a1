// @ts-check
// Workers that join a line when the main thread tells them to.
import { Region, Semaphore } from '@sluice/core';

/** @import { RegionHandle, SemaphoreHandle } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */

/** Words of a worker in the control region of `joinLine`. */
export const TURN = 0;
export const PERMITS = 1;
export const WAY = 2;
export const LEFT = 3;
export const CONTROL_WORDS = 4;
/** Values of the word WAY. */
export const BLOCKING = 0;
export const ASYNC = 1;
/** Waits that number of ms and leaves. */
export const LEAVES = 2;

/**
 * @typedef {object} LineData
 * @property {SemaphoreHandle} semaphore
 * @property {RegionHandle} control
 * @property {RegionHandle} log the number of admitted waiters, followed by their numbers
 * @property {number} rounds
 * @property {boolean} passOn whether it releases its permits after it has written its number into the log
 */

/**
 * Joins the line when it is told to, and writes into the log when it is admitted. The writes are plain: the permits
 * guard them if there is one holder at a time.
 * @param {LineData} data
 * @param {JobContext} context
 */
export async function joinLine({ semaphore, control, log, rounds, passOn }, { index, say }) {
  const sem = Semaphore.from(semaphore);
  const words = Region.from(control).int32;
  const entries = Region.from(log).int32;
  const mine = index * CONTROL_WORDS;
  say('ready');
  for (let round = 0; round < rounds; round++) {
    Atomics.wait(words, mine + TURN, round);
    const permits = Atomics.load(words, mine + PERMITS);
    const way = Atomics.load(words, mine + WAY);
    if (way === LEAVES) {
      if (sem.tryAcquire(permits, 2)) throw new Error('a waiter was admitted that should have timed out');
      Atomics.add(words, mine + LEFT, 1);
      continue;
    }
    if (way === ASYNC) await sem.acquireAsync(permits);
    else sem.acquire(permits);
    const at = (entries[0] ?? 0) + 1;
    entries[at] = index;
    if (passOn) {
      entries[0] = at;
      sem.release(permits);
    } else {
      // No other worker is admitted now, but the main thread waits for this word.
      Atomics.store(entries, 0, at);
    }
  }
}
