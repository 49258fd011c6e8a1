// @ts-check

/**
 * A source of random numbers (mulberry32): equal seeds give equal numbers. Not TypeScript, because workers load it,
 * too.
 */
export class Random {
  #state;

  /** @param {number} seed */
  constructor(seed) {
    this.#state = seed | 0;
  }

  /** A whole number from 0 to 2^32 - 1. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /**
   * A whole number from 0 to `limit - 1`.
   * @param {number} limit
   */
  below(limit) {
    return Math.floor((this.next() / 2 ** 32) * limit);
  }

  /**
   * A whole number from `least` to `most`.
   * @param {number} least
   * @param {number} most
   */
  between(least, most) {
    return least + this.below(most - least + 1);
  }

  /**
   * Returns true with a probability of `percent` %.
   * @param {number} percent
   */
  chance(percent) {
    return this.below(100) < percent;
  }

  /**
   * Returns one element of a list that is not empty.
   * @template T
   * @param {readonly T[]} list
   * @returns {T}
   */
  pick(list) {
    return /** @type {T} */ (list[this.below(list.length)]);
  }

  /**
   * Returns an independent source, for example for a worker: draws from one source do not change the numbers of
   * another.
   */
  fork() {
    return new Random(this.next());
  }
}
