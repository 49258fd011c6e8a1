// No box office: each fork is a mutex, and a philosopher takes both of its forks in one call.
import { holdAll } from '@sluice/core';
import { Mutex } from '@sluice/mutex';
import { EATS, neighbours, THINKS } from '../rule.mjs';
import { MAX_AT_MUTEX } from './mutex-table.mjs';

/** @typedef {{ solution: 'forks', forks: import('@sluice/mutex').MutexHandle[] }} ForkTableHandle */

export class ForkTable {
  /** Fork i lies to the right of philosopher i. */
  #forks;
  /** @type {import('@sluice/core').Guard | undefined} */
  #held;

  /** @param {ForkTableHandle} handle */
  constructor(handle) {
    this.handle = handle;
    this.#forks = handle.forks.map((fork) => Mutex.from(fork));
  }

  /**
   * @param {number} philosophers 2 to 64
   * @param {import('./table.mjs').TableOptions} [options]
   */
  static create(philosophers, { arena } = {}) {
    if (!Number.isInteger(philosophers) || philosophers < 2 || philosophers > MAX_AT_MUTEX)
      throw new RangeError(`A table is for 2 to ${MAX_AT_MUTEX} philosophers: received ${philosophers}`);
    const forks = Array.from({ length: philosophers }, (_, index) => {
      return Mutex.create({ arena, name: `fork ${index}`, order: 'fifo' }).handle;
    });
    return new ForkTable({ solution: 'forks', forks });
  }

  /**
   * Blocks until this philosopher eats.
   * @param {number} philosopher
   * @param {() => void} [_onWait] not called: the philosopher waits in the lines of its forks
   */
  beginEating(philosopher, _onWait) {
    this.#held = holdAll(this.#forksOf(philosopher));
  }

  /** @param {number} _philosopher that has eaten */
  endEating(_philosopher) {
    this.#held?.release();
  }

  /** There are no bouncers. */
  get permitsLeft() {
    return 0;
  }

  /** The statuses at this moment: a philosopher eats if one thread has both of its forks. */
  statuses() {
    const eats = (/** @type {unknown} */ _, /** @type {number} */ philosopher) => {
      const [left = 0, right = 0] = this.#forksOf(philosopher).map((fork) => fork.inspect().owner);
      return left === right && left !== 0 ? EATS : THINKS;
    };
    return Promise.resolve(this.#forks.map(eats));
  }

  /** @param {number} philosopher */
  #forksOf(philosopher) {
    const [left] = neighbours(this.#forks.length, philosopher);
    return [left, philosopher].map((index) => {
      const fork = this.#forks[index];
      if (fork === undefined) throw new RangeError(`There is no philosopher ${philosopher}`);
      return fork;
    });
  }
}
