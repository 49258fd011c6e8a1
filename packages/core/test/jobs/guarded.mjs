// @ts-check
// Words that a lock protects across the deaths of its owners.

/** The owner of the lock, and two words that are equal unless an owner is changing them. */
export const HOLDER = 0;
export const FIRST = 1;
export const SECOND = 2;
/** A line for each lock. */
export const GUARDED_WORDS = 32;

export class Guarded {
  /** @param {Int32Array} words @param {number} which @param {number} stamp differs from that of every other owner */
  constructor(words, which, stamp) {
    this.words = words;
    this.at = which * GUARDED_WORDS;
    this.stamp = stamp;
  }

  /**
   * Call it right after locking. With `notice` of an owner's death it repairs the data that the dead owner left.
   * @param {boolean} notice
   */
  enter(notice) {
    const { words, at, stamp } = this;
    const found = Atomics.exchange(words, at + HOLDER, stamp);
    if (found !== 0 && !notice)
      throw new Error(`${stamp} has the lock without a notice, and ${found} has it too or died with it`);
    if (notice) words[at + SECOND] = words[at + FIRST] ?? 0;
    else this.#expectWhole();
  }

  beginChange() {
    this.words[this.at + FIRST] = (this.words[this.at + FIRST] ?? 0) + 1;
  }

  endChange() {
    this.words[this.at + SECOND] = (this.words[this.at + SECOND] ?? 0) + 1;
  }

  /** Call it right before unlocking. */
  leave() {
    this.#expectWhole();
    const found = Atomics.compareExchange(this.words, this.at + HOLDER, this.stamp, 0);
    if (found !== this.stamp) throw new Error(`${this.stamp} had the lock, and ${found} had it at the same time`);
  }

  /** Checks the data for a reader. */
  look() {
    const found = Atomics.load(this.words, this.at + HOLDER);
    if (found !== 0) throw new Error(`${this.stamp} reads while ${found} writes or after it died while writing`);
    this.#expectWhole();
  }

  #expectWhole() {
    const [first, second] = this.words.subarray(this.at + FIRST, this.at + SECOND + 1);
    if (first !== second) throw new Error(`the data under the lock is half changed: ${first} and ${second}`);
  }
}
