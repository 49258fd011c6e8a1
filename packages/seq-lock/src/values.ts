// The values that the calls of one agent on one seq-lock use.

import { MisuseError, type NotPromise } from '@sluice/core';
import { isThenable, reportRejection, show, type Titled } from '@sluice/core/calls';
import { isValue, SeqValue } from './value.ts';

/** Changes a value, or fills one that is all zero. */
export type Fill = (value: SeqValue) => unknown;

declare const refusal: unique symbol;

/**
 * The type that the compiler's error names if a function that gets a `SeqValue` returns a promise. The function has the
 * value only until it returns.
 */
export interface ValueIsGone {
  readonly [refusal]: 'when the function has returned';
}

/** A function that has the value only until it returns, so it must not return a promise. */
export type Use<T> = (value: SeqValue) => NotPromise<T, ValueIsGone>;

export class Values {
  readonly #of: Titled;
  readonly #byteLength: number;
  /** A value for the next call with a function. `undefined` while such a call uses it. */
  #spare: SeqValue | undefined;

  constructor(of: Titled, byteLength: number) {
    this.#of = of;
    this.#byteLength = byteLength;
  }

  /**
   * Returns a value for the call of a function. If that function calls the seq-lock again, that call gets another
   * value.
   */
  borrow(): SeqValue {
    const value = this.#spare ?? new SeqValue(this.#byteLength);
    this.#spare = undefined;
    return value;
  }

  giveBack(value: SeqValue): void {
    this.#spare = value;
  }

  /**
   * Checks and returns the value that a caller passed. Throws `TypeError` if it is not a value, and `RangeError` if it
   * has another length.
   */
  own(given: SeqValue): SeqValue {
    if (!isValue(given))
      throw new TypeError(
        `Expected a value that read() of a seq-lock returned, or a function such as ({ bytes }) => bytes.set(mine): received ${show(given)}`,
      );
    const { length } = given.bytes;
    if (length === this.#byteLength) return given;
    throw new RangeError(
      `${this.#of.toString()} has a value of ${this.#byteLength} bytes: received one of ${length}. Nothing was read or written.`,
    );
  }

  /**
   * Calls a function of the caller. Throws `MisuseError` if it returns a promise, because it has the value only until
   * it returns.
   */
  call<T>(body: (value: SeqValue) => T, value: SeqValue): T {
    const result = body(value);
    if (!isThenable(result)) return result;
    const title = this.#of.toString();
    reportRejection(result, `the function passed to ${title}`);
    throw new MisuseError(
      `${title}: the function returned a promise, but it has the value only until it returns. Nothing was written. Use read() for a copy to keep. The ` +
        'promise is the cause of this error.',
      { cause: result },
    );
  }
}
