// @ts-check
// The numbers of a buffer's values. Each value has its producer's slot and a number that grows by one, so a consumer
// sees a value that is lost, doubled, torn or out of order. A worker that was killed may have put in values that it did
// not know of: the next worker of its slot leaves a gap and marks its first value.
import { SLOTS } from '../words.mjs';

/**
 * Of its own words, for each slot: the last number that was taken, the next to put in, whether that begins a life, what
 * a dead worker had put in.
 */
const LAST = 0;
const NEXT = SLOTS;
const FRESH = 2 * SLOTS;
const KNOWN = 3 * SLOTS;
/** How many values may be taken again: a consumer was killed in the middle of taking. */
const REPEATS = 4 * SLOTS;

/** The most values of one call. */
export const AT_ONCE = 4;
const GAP = 100;
const NUMBER_BITS = 26;
const NUMBER_MASK = 2 ** NUMBER_BITS - 1;
const MARK = 2 ** NUMBER_BITS;

/** The numbers of one slot's values, and what was taken of all slots. */
export class Ledger {
  #own;
  #slot;
  #name;
  /** The problem that `onTake` found: an error there would not reach the check. @type {Error | undefined} */
  #violation;

  /** @param {Int32Array} own @param {number} slot @param {string} name */
  constructor(own, slot, name) {
    this.#own = own;
    this.#slot = slot;
    this.#name = name;
  }

  /** The next `n` values of this slot. @param {number} n */
  next(n) {
    const first = Atomics.load(this.#own, NEXT + this.#slot) + 1;
    const isFresh = Atomics.load(this.#own, FRESH + this.#slot) === 1;
    return Array.from(
      { length: n },
      (_, i) => (this.#slot << (NUMBER_BITS + 1)) | (isFresh && i === 0 ? MARK : 0) | ((first + i) & NUMBER_MASK),
    );
  }

  /** The first `n` of them are in. @param {number} n */
  went(n) {
    if (n === 0) return;
    Atomics.add(this.#own, NEXT + this.#slot, n);
    Atomics.store(this.#own, FRESH + this.#slot, 0);
  }

  /** A value is about to be taken: no other thread takes one at the same time. @param {number} packed */
  take(packed) {
    if (Number.isNaN(packed)) {
      this.#violation ??= new Error(`${this.#name}: a value is torn`);
      return;
    }
    const slot = packed >>> (NUMBER_BITS + 1);
    const number = packed & NUMBER_MASK;
    const last = Atomics.load(this.#own, LAST + slot);
    const isNext = number === last + 1 || ((packed & MARK) !== 0 && number > last);
    if (isNext) Atomics.store(this.#own, LAST + slot, number);
    else if (number <= last && Atomics.load(this.#own, REPEATS) > 0) Atomics.sub(this.#own, REPEATS, 1);
    else
      this.#violation ??= new Error(
        `${this.#name}: value ${number} of slot ${slot} came after value ${last} (${packed})`,
      );
  }

  check() {
    if (this.#violation !== undefined) throw this.#violation;
  }
}

/** A worker was killed: what it put in last is not known. @param {Int32Array} own @param {number} slot */
export function endLife(own, slot) {
  const next = Atomics.load(own, NEXT + slot);
  // If the worker before it was killed, too, and it put in nothing, that one's values are the last.
  if (Atomics.exchange(own, FRESH + slot, 1) === 0) Atomics.store(own, KNOWN + slot, next);
  Atomics.store(own, NEXT + slot, next + GAP);
  Atomics.add(own, REPEATS, AT_ONCE);
}

/** The values that were put in and never taken, once the buffer is empty. @param {Int32Array} own */
export function lostOf(own) {
  /** @type {string[]} */
  const lost = [];
  for (let slot = 0; slot < SLOTS; slot++) {
    const [last = 0, next = 0, known = 0, fresh = 0] = [LAST, NEXT, KNOWN, FRESH].map((at) =>
      Atomics.load(own, at + slot),
    );
    if (fresh === 1 ? last < known : last !== next)
      lost.push(`slot ${slot}: took ${last} of ${fresh === 1 ? known : next}`);
  }
  return lost;
}

/** No worker was killed since: no value is taken again. @param {Int32Array} own */
export function forgetRepeats(own) {
  Atomics.store(own, REPEATS, 0);
}
