// The async iterator of a buffer, a watch cell or a subscription: it takes a value when the loop asks for one. It is not a generator: a
// generator's `return` would wait until the pending `next` has a value, and that value would be lost.

import type { WaitOptions } from './wait-options.ts';

/** Ends a wait whose loop was left. */
const LEFT = new Error('The loop was left.');
const END: IteratorReturnResult<void> = Object.freeze({ done: true, value: undefined });

export class Loop<T> implements AsyncGenerator<T, void, undefined> {
  readonly #take: (options: WaitOptions) => Promise<unknown>;
  readonly #unpack: (packed: unknown) => T;
  readonly #isEnd: (failure: unknown) => boolean;
  readonly #controller = new AbortController();
  /** The latest call of `next`. */
  #last: Promise<unknown> = Promise.resolve();
  #ended = false;

  /** `isEnd`: whether `take` failed because there will be no further value. What `unpack` throws passes through. */
  constructor(take: (options: WaitOptions) => Promise<unknown>, unpack: (packed: unknown) => T, isEnd: (failure: unknown) => boolean) {
    this.#take = take;
    this.#unpack = unpack;
    this.#isEnd = isEnd;
  }

  next(): Promise<IteratorResult<T, void>> {
    const next = this.#next();
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #next(): Promise<IteratorResult<T, void>> {
    if (this.#ended) return END;
    let packed: unknown;
    try {
      packed = await this.#take({ signal: this.#controller.signal });
    } catch (failure) {
      this.#ended = true;
      if (failure === LEFT || this.#isEnd(failure)) return END;
      throw failure;
    }
    try {
      return { done: false, value: this.#unpack(packed) };
    } catch (failure) {
      this.#ended = true;
      throw failure;
    }
  }

  /** Ends a `next` that waits for a value. A `next` that has taken a value still returns it. */
  async return(): Promise<IteratorResult<T, void>> {
    this.#ended = true;
    this.#controller.abort(LEFT);
    await this.#last;
    return END;
  }

  async throw(failure: unknown): Promise<IteratorResult<T, void>> {
    await this.return();
    throw failure;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
