// @ts-check The locks behind capacitors: the five classics, optionally with random failures, and a third party's.
import { openLock } from '../../../classics/test/jobs/kinds.mjs';

/** @import { InnerLock } from '@sluice/capacitor' */
/** @import { WaitOptions } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { LockHandle, PlacedLock } from '../../../classics/test/jobs/kinds.mjs' */

export const MOOD = 'a random failure';
/** The percentage of attempts that fail. */
const MOODS = 5;

/** A lock as a third party may write it, over one word: only `lock`, `tryLock` and `unlock`. */
export class PlainLock {
  /** @param {Int32Array} words @param {number} at */
  constructor(words, at) {
    this.words = words;
    this.at = at;
  }

  lock() {
    while (!this.tryLock()) Atomics.wait(this.words, this.at, 1);
  }

  tryLock(timeoutMs = 0) {
    const end = performance.now() + timeoutMs;
    while (Atomics.compareExchange(this.words, this.at, 0, 1) !== 0) {
      const left = end - performance.now();
      if (timeoutMs === 0 || left <= 0) return false;
      Atomics.wait(this.words, this.at, 1, left);
    }
    return true;
  }

  unlock() {
    if (Atomics.exchange(this.words, this.at, 0) !== 1) throw new Error('the inner lock was not locked');
    Atomics.notify(this.words, this.at);
  }
}

/** Sometimes throws instead of locking. */
export class MoodyLock {
  /** @param {PlacedLock} lock @param {JobContext['random']} random */
  constructor(lock, random) {
    this.actual = lock;
    this.random = random;
    this.handle = lock.handle;
    this.arena = lock.arena;
    // Throws early, so that even the shortest storm has a failure.
    this.left = 5;
  }

  lock() {
    this.think();
    this.actual.lock();
  }

  /** @param {number} [timeoutMs] */
  tryLock(timeoutMs) {
    this.think();
    return this.actual.tryLock(timeoutMs);
  }

  /** @param {WaitOptions} [options] */
  lockAsync(options) {
    this.think();
    return this.actual.lockAsync(options);
  }

  unlock() {
    this.actual.unlock();
  }

  think() {
    this.left -= 1;
    if (this.left > 0) return;
    this.left = 1 + this.random.below(2 * MOODS);
    throw new Error(MOOD);
  }
}

/**
 * @param {LockHandle | undefined} handle none: the third party's lock @param {boolean} moody @param {Int32Array} words
 * @param {number} at its word @param {JobContext['random']} random @returns {InnerLock}
 */
export function openInner(handle, moody, words, at, random) {
  if (handle === undefined) return new PlainLock(words, at);
  const lock = openLock(handle);
  return moody ? new MoodyLock(lock, random) : lock;
}
