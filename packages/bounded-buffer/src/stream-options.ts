// The options of streams over a buffer.

import { checkFlag, checkFunction, checkOptions } from '@sluice/core/internal';

/** Of a stream that takes values out of a buffer. */
export interface ReadingOptions {
  /**
   * Whether the buffer is closed if the stream is cancelled or destroyed, or fails: then its producers get
   * `ClosedError`, and the values that are left stay for other consumers. Default `false`: other consumers go on.
   */
  readonly close?: boolean | undefined;
}

/** Of a stream that puts values into a buffer. */
export interface WritingOptions {
  /**
   * Whether the buffer is closed when the stream ends, in whatever way: at its end, by an abort, or by a failure. Then
   * consumers do not wait for values that will not come. Default `true`. With several producers, use `false`, and close
   * the buffer after the last of them.
   */
  readonly close?: boolean | undefined;
}

/** For values that the stream can no longer deliver. */
export interface UndeliveredOptions<T> {
  /**
   * Called with each value that has left its source but reaches no destination, because the stream was stopped in
   * between.
   */
  readonly undelivered?: ((value: T) => void) | undefined;
}

/** Throws `TypeError`. `names`: the options that the call knows. */
export function checkStreamOptions(options: object & UndeliveredOptions<never>, names: readonly string[]): void {
  checkOptions(options, names);
  for (const name of names)
    if (name.startsWith('close')) checkFlag(name, (options as Readonly<Record<string, unknown>>)[name]);
  for (const name of ['undelivered', 'undeliveredToTarget']) {
    const given = (options as Readonly<Record<string, unknown>>)[name];
    if (given !== undefined) checkFunction(given);
  }
}
