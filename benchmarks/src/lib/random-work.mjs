// @ts-check
import { xorshift } from './xorshift.mjs';

/** A thread's own generator: its choices, and the work that it does, a step of the generator for each unit. */
export class RandomWork {
  #state;

  /** @param {number} seed not 0 */
  constructor(seed) {
    this.#state = seed;
  }

  #next() {
    this.#state = xorshift(this.#state);
    return this.#state >>> 0;
  }

  /** From 0 up to, but not, 1. */
  fraction() {
    return this.#next() / 2 ** 32;
  }

  /** A whole number below the limit. @param {number} limit */
  below(limit) {
    return Math.floor(this.fraction() * limit);
  }

  /** @param {number} units */
  do(units) {
    for (let i = 0; i < units; i++) this.#next();
  }
}
