// The async iterator of a buffer, a watch cell or a subscription. It takes a value only when the loop asks for one. It
// is not a generator, because a generator's `return` would wait until the pending `next` has a value, and lose that
// value.

import { LoopWait, type WaitOptions } from './wait-options.ts';

/** The reason that ends a wait after the program has left its loop. */
const LEFT = new Error('The loop was left.');
const END: IteratorReturnResult<void> = Object.freeze({ done: true, value: undefined });

/**
 * Takes a packed value, and returns it or a promise of it. `isLeft()` tells whether the program left the loop during
 * the wait. Then `Take` must take no value.
 */
export type Take = (options: WaitOptions, isLeft: () => boolean) => unknown;

export class TakeIterator<T> implements AsyncGenerator<T, void, undefined> {
  readonly #take: Take;
  readonly #unpack: (packed: unknown) => T;
  readonly #isEnd: (failure: unknown) => boolean;
  readonly #controller = new AbortController();
  /** Ends the waits of a loop that the program has left. */
  readonly #options = new LoopWait(this.#controller.signal);
  /** The latest call of `next`. */
  #last: Promise<unknown> = Promise.resolve();
  #ended = false;
  #wasLeft = false;
  readonly #isLeft = (): boolean => this.#wasLeft;

  /** `isEnd` tells whether `take` failed because no further value will come. Errors of `unpack` pass through. */
  constructor(take: Take, unpack: (packed: unknown) => T, isEnd: (failure: unknown) => boolean) {
    this.#take = take;
    this.#unpack = unpack;
    this.#isEnd = isEnd;
  }

  next(): Promise<IteratorResult<T, void>> {
    const next = this.#next();
    this.#last = next;
    return next;
  }

  async #next(): Promise<IteratorResult<T, void>> {
    if (this.#ended) return END;
    let packed: unknown;
    try {
      packed = await this.#take(this.#options, this.#isLeft);
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
    this.#ended = this.#wasLeft = true;
    this.#controller.abort(LEFT);
    // The caller of that `next` receives its failure.
    await this.#last.catch(() => undefined);
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
