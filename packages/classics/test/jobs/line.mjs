// @ts-check Workers that wait for a lock when told to, record their turn as owner, and unlock when told to.
import { Region } from '@sluice/core';
import { openLock } from './kinds.mjs';

/** @import { RegionHandle } from '@sluice/core' */
/** @import { LockHandle } from './kinds.mjs' */

/**
 * Words that all workers share: the number of allowed unlocks, the number of owners so far, and from LOG on the number
 * of each owner.
 */
export const GO = 0;
export const GOT = 1;
export const LOG = 2;
/** Words of a worker, behind the log: how often it is to wait, and in which way. */
export const TURN = 0;
export const WAY = 1;
export const WORKER_WORDS = 2;
/** Values of the word WAY. */
export const BLOCKING = 0;
export const TIMED = 1;
export const ASYNC = 2;
/** Longer than any wait of a test that passes. */
const TIMEOUT_MS = 60_000;

/**
 * @typedef {object} LineData
 * @property {LockHandle} lock
 * @property {RegionHandle} words
 * @property {number} rounds how often each of them joins
 * @property {number} control the first word behind the log
 */

/** @param {LineData} data @param {import('@sluice/harness').JobContext} context */
export async function joinLine({ lock: handle, words: region, rounds, control }, { index }) {
  const lock = openLock(handle);
  const words = Region.from(region).int32;
  const mine = control + index * WORKER_WORDS;
  for (let round = 0; round < rounds; round++) {
    Atomics.wait(words, mine + TURN, round);
    const way = Atomics.load(words, mine + WAY);
    if (way === ASYNC) await lock.lockAsync();
    else if (way === BLOCKING) lock.lock();
    else if (!lock.tryLock(TIMEOUT_MS)) throw new Error('a wait timed out');
    const at = Atomics.load(words, GOT);
    Atomics.store(words, LOG + at, index);
    Atomics.store(words, GOT, at + 1);
    Atomics.wait(words, GO, at);
    lock.unlock();
  }
}
