// Counters that all threads share: plain numbers in the arena, which only the holder of the guard accesses.

const NEXT = 0;
const OPEN = 1;
const MOST_OPEN = 2;
const FILES = 3;
const BYTES = 4;
const SKIPPED = 5;
const FILES_BY_AGENT = 6;

/** What `begin` returns when all files have been taken. */
export const NONE = -1;

export class Tally {
  #words;
  #total;

  /**
   * @param {import('@sluice/core').Region} region
   * @param {number} total the number of files
   */
  constructor(region, total) {
    this.#words = region.float64; // Whole numbers, exact up to 2 ** 53: bytes need more than 32 bits.
    this.#total = total;
  }

  /** @param {number} agents */
  static bytesFor(agents) {
    return (FILES_BY_AGENT + agents) * Float64Array.BYTES_PER_ELEMENT;
  }

  /** Takes the next file and counts it as open. Returns its index, or `NONE`. */
  begin() {
    if (this.#get(NEXT) >= this.#total) return NONE;
    this.#add(OPEN, 1);
    this.#words[MOST_OPEN] = Math.max(this.#get(MOST_OPEN), this.#get(OPEN));
    return this.#add(NEXT, 1) - 1;
  }

  /**
   * Counts a file as closed.
   * @param {number} agent that had it
   * @param {number | undefined} size its bytes; `undefined` if it could not be read
   */
  end(agent, size) {
    this.#add(OPEN, -1);
    if (size === undefined) {
      this.#add(SKIPPED, 1);
      return;
    }
    this.#add(FILES, 1);
    this.#add(BYTES, size);
    this.#add(FILES_BY_AGENT + agent, 1);
  }

  read() {
    return {
      open: this.#get(OPEN),
      mostOpen: this.#get(MOST_OPEN),
      files: this.#get(FILES),
      bytes: this.#get(BYTES),
      skipped: this.#get(SKIPPED),
      filesByAgent: [...this.#words.subarray(FILES_BY_AGENT)],
    };
  }

  /** @param {number} word */
  #get(word) {
    return this.#words[word] ?? 0;
  }

  /**
   * @param {number} word
   * @param {number} amount
   */
  #add(word, amount) {
    return (this.#words[word] = this.#get(word) + amount);
  }
}
