// The work of a consumer while it owns its side's lock: it copies values out, and commits their number.

import type { WaitOptions } from '@sluice/core';
import { checkInteger, reasonOf } from '@sluice/core/calls';
import type { TakingOptions } from '../api/options.ts';
import type { Side } from './side.ts';
import type { ValueStore } from '../values/store.ts';

/** An error that a codec threw. */
class Failure {
  readonly reason: unknown;

  constructor(reason: unknown) {
    this.reason = reason;
  }
}

export class ConsumerSide {
  /** Whether `onTake` must see each value that is taken. */
  readonly isWatched: boolean;
  readonly #store: ValueStore<unknown>;
  readonly #side: Side;
  readonly #onTake: TakingOptions['onTake'];
  /** Whether a kernel step takes each single value. */
  readonly #isInt32: boolean;

  constructor(store: ValueStore<unknown>, side: Side, onTake: TakingOptions['onTake']) {
    this.#store = store;
    this.#side = side;
    this.#onTake = onTake;
    this.isWatched = onTake !== undefined;
    this.#isInt32 = store.isInt32 === true && !this.isWatched;
  }

  /** Returns the next packed value, or `undefined` if there was none within `timeoutMs` ms. */
  next(timeoutMs: number): unknown {
    if (!this.#isInt32) return this.#oneAt(this.#side.enter(1, timeoutMs));
    const taken = this.#side.passInt32(0);
    return taken >= 0 ? taken | 0 : this.#oneAt(this.#side.goOn(taken, 1, timeoutMs));
  }

  #oneAt(at: number): unknown {
    return at < 0 ? undefined : this.one(at);
  }

  /** Returns the packed value at the position that `enter` returned. */
  one(at: number): unknown {
    let [used, count] = [0, 0];
    try {
      const packed = this.#store.read(at);
      this.#onTake?.(packed);
      used = this.#store.unitsOf(packed);
      count = 1;
      return packed;
    } finally {
      this.#side.commit(used, count);
    }
  }

  /** Takes a value as `one` does. If the loop has ended, it takes no value and throws the signal's reason. */
  oneUnless(isLeft: () => boolean, at: number, { signal }: WaitOptions): unknown {
    if (!isLeft()) return this.one(at);
    this.#side.commit(0, 0);
    throw reasonOf(signal);
  }

  /**
   * Takes all available values, at most `most`. If a value cannot be unpacked, it stops before that value, which stays
   * in the buffer with the values after it. If it is the first value, the value is taken and its codec's error is
   * thrown. So the value blocks no consumer, and no other value is lost.
   */
  all(at: number, most: number): unknown[] {
    const { mayFail } = this.#store;
    const many = this.isWatched ? undefined : this.#store.many;
    let values: unknown[] = [];
    let [used, count] = [0, 0];
    try {
      const limit = Math.min(most, this.#side.units);
      if (many !== undefined) {
        values = many.read(at, limit);
        used = count = limit;
      }
      while (count < limit) {
        const packed = this.#store.read(at + used);
        // If unpacking may fail, it happens here, because a taken value cannot go back. Otherwise it happens later,
        // because other agents wait for the lock.
        const value = mayFail ? this.#tryToUnpack(packed) : packed;
        if (value instanceof Failure && count > 0) break;
        this.#onTake?.(packed);
        used += this.#store.unitsOf(packed);
        count += 1;
        if (value instanceof Failure) throw value.reason;
        values.push(value);
      }
    } finally {
      this.#side.commit(used, count);
    }
    return mayFail || many !== undefined ? values : values.map((packed) => this.#store.unpack(packed));
  }

  #tryToUnpack(packed: unknown): unknown {
    try {
      return this.#store.unpack(packed);
    } catch (failure) {
      return new Failure(failure);
    }
  }
}

/** Checks the limit of a batch. Throws `RangeError`, `TypeError`. */
export function checkMost(most: unknown): number {
  return most === Infinity ? Infinity : checkInteger('most', most, 1, 2 ** 31 - 1, ['popManyAsync(1, OPTIONS)']);
}
