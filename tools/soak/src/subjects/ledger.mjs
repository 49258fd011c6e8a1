// @ts-check
// The numbers of a buffer's values. Each value has its producer's slot and a number that grows by one, so a consumer
// sees a value that is lost, doubled, torn or out of order. A worker that was killed may have put in values that it did
// not know of: the next worker of its slot leaves a gap and marks its first value.
import { SLOTS } from '../words.mjs';

// The ledger's own words, one of each for each slot.
/** The last number that was taken. */
const LAST = 0;
/** The last number that was put in. */
const NEXT = SLOTS;
/** 1: the next value is the first of a new worker. */
const FRESH = 2 * SLOTS;
/** The last number that the dead worker of the slot certainly put in. */
const KNOWN = 3 * SLOTS;
/** The number of values that may be taken a second time, because their consumer was killed while it took them. */
const REPEATS = 4 * SLOTS;

/** The most values of one call. */
export const AT_ONCE = 4;
const GAP = 100;
const NUMBER_BITS = 26;
const NUMBER_MASK = 2 ** NUMBER_BITS - 1;
const MARK = 2 ** NUMBER_BITS;

/** Numbers the values of one slot, and checks the numbers of the values that are taken. */
export class Ledger {
  #own;
  #slot;
  #name;
  /** The problem that `take` found. An error thrown there would not reach the check. @type {Error | undefined} */
  #violation;

  /** @param {Int32Array} own @param {number} slot @param {string} name */
  constructor(own, slot, name) {
    this.#own = own;
    this.#slot = slot;
    this.#name = name;
  }

  /** Returns the next `n` values of this slot. @param {number} n */
  next(n) {
    const first = Atomics.load(this.#own, NEXT + this.#slot) + 1;
    const isFresh = Atomics.load(this.#own, FRESH + this.#slot) === 1;
    return Array.from(
      { length: n },
      (_, i) => (this.#slot << (NUMBER_BITS + 1)) | (isFresh && i === 0 ? MARK : 0) | ((first + i) & NUMBER_MASK),
    );
  }

  /** Records that the first `n` of the values from `next` were put in. @param {number} n */
  went(n) {
    if (n === 0) return;
    Atomics.add(this.#own, NEXT + this.#slot, n);
    Atomics.store(this.#own, FRESH + this.#slot, 0);
  }

  /** Checks a value that is about to be taken. No other thread takes one at the same time. @param {number} packed */
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

/** Records that the worker of a slot was killed. Its last values may or may not be in the buffer. @param {Int32Array} own @param {number} slot */
export function endLife(own, slot) {
  const next = Atomics.load(own, NEXT + slot);
  // A worker that was killed before its first value changes nothing here: KNOWN stays that of the worker before it.
  if (Atomics.exchange(own, FRESH + slot, 1) === 0) Atomics.store(own, KNOWN + slot, next);
  Atomics.store(own, NEXT + slot, next + GAP);
  Atomics.add(own, REPEATS, AT_ONCE);
}

/** Returns the values that were put in and never taken. Call it when the buffer is empty. @param {Int32Array} own */
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

/** Forbids further repeats. Call it when all values that killed consumers took are accounted for. @param {Int32Array} own */
export function forgetRepeats(own) {
  Atomics.store(own, REPEATS, 0);
}
