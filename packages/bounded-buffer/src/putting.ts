// What a producer does besides the write of a single value: it packs values before it waits, and writes batches.

import { checkWait, show, typedArrayName, type Account } from '@sluice/core/internal';
import type { WaitOptions } from '@sluice/core';
import type { Int32Side } from './int32.ts';
import { NO_OPTIONS } from './options.ts';
import { RefusedValue } from './refused-value.ts';
import type { Side } from './side.ts';
import type { Many, Store } from './store.ts';

export class Putting<T> {
  readonly #store: Store<unknown>;
  readonly #side: Side;
  readonly #what: Account;
  readonly #int32: Int32Side | undefined;

  /** `int32`: if the values are int32. */
  constructor(store: Store<unknown>, side: Side, what: Account, int32: Int32Side | undefined) {
    this.#store = store;
    this.#side = side;
    this.#what = what;
    this.#int32 = int32;
  }

  /** What is written for `value`. Throws `TypeError`, `RangeError`, and what the codec throws. */
  pack(value: T): unknown {
    try {
      return this.#store.pack(value);
    } catch (failure) {
      throw failure instanceof RefusedValue ? failure.namedBy(this.#what.toString()) : failure;
    }
  }

  packAll(values: ArrayLike<T>): ArrayLike<unknown> {
    if (!isArrayLike(values))
      throw new RefusedValue(TypeError, `the values must be an array, received ${show(values)}`).namedBy(
        this.#what.toString(),
      );
    const { many } = this.#store;
    try {
      // `from` visits holes, too.
      return many === undefined ? Array.from(values, (value) => this.#store.pack(value)) : many.pack(values);
    } catch (failure) {
      throw failure instanceof RefusedValue ? failure.namedBy(this.#what.toString()) : failure;
    }
  }

  /** Puts a packed value in. Returns whether it is in within `timeoutMs` ms. */
  one(packed: unknown, timeoutMs: number): boolean {
    if (this.#int32 !== undefined) {
      const seen = this.#int32.pass(packed as number);
      return seen >= 0 || this.#write(this.#side.goOn(seen, 1, timeoutMs), packed, 1);
    }
    const units = this.#store.unitsOf(packed);
    return this.#write(this.#side.enter(units, timeoutMs), packed, units);
  }

  #write(at: number, packed: unknown, units: number): boolean {
    if (at < 0) return false;
    let done = 0;
    try {
      this.#store.write(at, packed);
      done = 1;
    } finally {
      this.#side.commit(done * units, done);
    }
    return true;
  }

  /**
   * Puts in as many packed values as there is room for, at least one if it enters within `timeoutMs` ms. Returns how
   * many.
   */
  many(all: ArrayLike<unknown>, timeoutMs: number): number {
    if (all.length === 0) return 0;
    const at = this.#side.enter(this.#store.unitsOf(all[0]), timeoutMs);
    return at < 0 ? 0 : this.#writeAll(at, all);
  }

  /** As `many`, without blocking. */
  manyAsync(all: ArrayLike<unknown>, options: WaitOptions): number | Promise<number> {
    if (all.length === 0) {
      if (options !== NO_OPTIONS) checkWait(options);
      return 0;
    }
    // A copy: the caller may change its arrays before they are written.
    const kept = ArrayBuffer.isView(all)
      ? (all as Int32Array).slice()
      : Array.from(all, (packed) => this.#store.keep(packed));
    return this.#side.enterAsync(this.#store.unitsOf(kept[0]), options, (at) => this.#writeAll(at, kept));
  }

  /** Writes as many as fit. There is room for the first. */
  #writeAll(at: number, all: ArrayLike<unknown>): number {
    if (this.#store.many !== undefined && ArrayBuffer.isView(all))
      return this.#writeNumbers(this.#store.many, at, all as Int32Array);
    const first = at;
    let [used, count] = [0, 0];
    try {
      const room = all.length === 1 ? 0 : this.#side.units;
      for (const packed of all as readonly unknown[]) {
        const units = this.#store.unitsOf(packed);
        if (count > 0 && used + units > room) break;
        this.#store.write(first + used, packed);
        used += units;
        count += 1;
      }
    } finally {
      this.#side.commit(used, count);
    }
    return count;
  }

  #writeNumbers(many: Many, at: number, all: Int32Array): number {
    let count = 0;
    try {
      const fit = all.length === 1 ? 1 : Math.min(all.length, this.#side.units);
      many.write(at, all, fit);
      count = fit;
    } finally {
      this.#side.commit(count, count);
    }
    return count;
  }
}

function isArrayLike(values: unknown): boolean {
  return Array.isArray(values) || typedArrayName(values) !== undefined;
}
