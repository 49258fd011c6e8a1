// The blocking iterator of a buffer, for workers. It is not a generator, because resuming a generator takes a third of
// the time of a `pop`.

import type { ValueStore } from '../values/store.ts';
import type { ConsumerSide } from './consumer-side.ts';

const END: IteratorReturnResult<void> = Object.freeze({ done: true, value: undefined });
/** The prototype of all iterators. Newer engines add `map`, `filter` and other methods to it. */
const ITERATOR = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())) as object;

export class BlockingLoop<T> implements Generator<T, void, undefined> {
  readonly #consumerSide: ConsumerSide;
  readonly #store: ValueStore<unknown>;
  readonly #isEnd: (failure: unknown) => boolean;
  #ended = false;

  static {
    Object.setPrototypeOf(this.prototype, ITERATOR);
  }

  /** `isEnd` says whether a call failed because no further value will come. Errors of a codec pass through. */
  constructor(taking: ConsumerSide, store: ValueStore<unknown>, isEnd: (failure: unknown) => boolean) {
    this.#consumerSide = taking;
    this.#store = store;
    this.#isEnd = isEnd;
  }

  next(): IteratorResult<T, void> {
    if (this.#ended) return END;
    let packed: unknown;
    try {
      packed = this.#consumerSide.next(Infinity);
    } catch (failure) {
      this.#ended = true;
      if (this.#isEnd(failure)) return END;
      throw failure;
    }
    try {
      return { done: false, value: this.#store.unpack(packed) as T };
    } catch (failure) {
      this.#ended = true;
      throw failure;
    }
  }

  return(): IteratorResult<T, void> {
    this.#ended = true;
    return END;
  }

  throw(failure: unknown): IteratorResult<T, void> {
    this.#ended = true;
    throw failure;
  }

  [Symbol.dispose](): void {
    this.return();
  }

  [Symbol.iterator](): this {
    return this;
  }
}
