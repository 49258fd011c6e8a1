// @ts-check
// The locks that stand behind capacitors: the five of this family, also in a bad mood, and a third party's.
import { openLock } from '../../../classics/test/jobs/kinds.mjs';

/** @import { InnerLock } from '@sluice/capacitor' */
/** @import { WaitOptions } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { LockHandle, PlacedLock } from '../../../classics/test/jobs/kinds.mjs' */

export const MOOD = 'not in the mood';
/** Percentage of attempts. */
const MOODS = 5;

/** A lock as everybody writes it, with a word to itself: `lock`, `tryLock` and `unlock`, and no more. */
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

/** Throws now and then instead of locking. */
export class MoodyLock {
  /** @param {PlacedLock} lock @param {JobContext['random']} random */
  constructor(lock, random) {
    this.actual = lock;
    this.random = random;
    this.handle = lock.handle;
    this.arena = lock.arena;
    // Early, so that the shortest storm has one.
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
