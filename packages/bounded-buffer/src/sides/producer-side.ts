// The work of a producer beside `push` and `tryPush`: it packs values before it waits, and writes batches.

import { checkWait, show, typedArrayName } from '@sluice/core/calls';
import type { WaitOptions } from '@sluice/core';
import { asRefusal, BufferRefusal } from '../api/buffer-refusal.ts';
import { enterAsync } from './async-entry.ts';
import type { Side } from './side.ts';
import type { ValueStore } from '../values/store.ts';

export class ProducerSide<T> {
  readonly #store: ValueStore<unknown>;
  readonly #side: Side;

  constructor(store: ValueStore<unknown>, side: Side) {
    this.#store = store;
    this.#side = side;
  }

  /** Returns the stored form of `value`. Throws `TypeError`, `RangeError`, and the errors of the codec. */
  pack(value: T): unknown {
    try {
      return this.#store.pack(value);
    } catch (failure) {
      throw asRefusal(failure, this.#side.errors);
    }
  }

  packAll(values: ArrayLike<T>): ArrayLike<unknown> {
    const { many } = this.#store;
    try {
      if (!isArrayLike(values))
        throw new BufferRefusal(TypeError, `the values must be an array, received ${show(values)}`);
      // `from` visits holes, too.
      return many === undefined ? Array.from(values, (value) => this.#store.pack(value)) : many.pack(values);
    } catch (failure) {
      throw asRefusal(failure, this.#side.errors);
    }
  }

  /**
   * Puts in as many packed values as there is room for, and at least one if room comes within `timeoutMs` ms. Returns
   * their number.
   */
  many(all: ArrayLike<unknown>, timeoutMs: number): number {
    if (all.length === 0) return 0;
    const at = this.#side.enter(this.#store.unitsOf(all[0]), timeoutMs);
    return at < 0 ? 0 : this.#writeAll(at, all);
  }

  /** Puts values in as `many` does, without blocking. */
  manyAsync(all: ArrayLike<unknown>, options: WaitOptions): number | Promise<number> {
    if (all.length === 0) {
      checkWait(options);
      return 0;
    }
    // A copy: the caller may change its arrays before they are written.
    const kept = ArrayBuffer.isView(all)
      ? (all as Int32Array).slice()
      : Array.from(all, (packed) => this.#store.keep(packed));
    return enterAsync(this.#side, this.#store.unitsOf(kept[0]), options, (at) => this.#writeAll(at, kept));
  }

  /** Writes as many values as fit. There is room for the first. */
  #writeAll(at: number, all: ArrayLike<unknown>): number {
    const { many } = this.#store;
    let [used, count] = [0, 0];
    try {
      const room = all.length === 1 ? 1 : this.#side.units;
      if (many !== undefined && ArrayBuffer.isView(all)) {
        const fit = Math.min(all.length, room);
        many.write(at, all as Int32Array, fit);
        used = count = fit;
      } else
        for (const packed of all as readonly unknown[]) {
          const units = this.#store.unitsOf(packed);
          if (count > 0 && used + units > room) break;
          this.#store.write(at + used, packed);
          used += units;
          count += 1;
        }
    } finally {
      this.#side.commit(used, count);
    }
    return count;
  }
}

function isArrayLike(values: unknown): boolean {
  return Array.isArray(values) || typedArrayName(values) !== undefined;
}
