// The options of streams over a buffer.

import { checkFlag, checkFunction, checkOptions } from '@sluice/core/calls';

/** The options of a stream that takes values out of a buffer. */
export interface ReadingOptions {
  /**
   * Whether the buffer is closed when the stream is cancelled, is destroyed or fails. Its producers then get
   * `ClosedError`, and the remaining values stay for other consumers. Default `false`: other consumers continue.
   */
  readonly close?: boolean | undefined;
}

/** The options of a stream that puts values into a buffer. */
export interface WritingOptions {
  /**
   * Whether the buffer is closed when the stream ends: at its end, by an abort, or by a failure. Then consumers do not
   * wait for values that will not come. Default `true`. With several producers, use `false`, and close the buffer after
   * the last producer.
   */
  readonly close?: boolean | undefined;
}

/** The options for values that the stream can no longer deliver. */
export interface UndeliveredOptions<T> {
  /**
   * Called with each value that has left its source and reaches no destination, because the stream was stopped in
   * between.
   */
  readonly undelivered?: ((value: T) => void) | undefined;
}

/** Checks the options. `names` are the options that the call knows. Throws `TypeError`. */
export function checkStreamOptions(options: object & UndeliveredOptions<never>, names: readonly string[]): void {
  checkOptions(options, names);
  for (const name of names)
    if (name.startsWith('close')) checkFlag(name, (options as Readonly<Record<string, unknown>>)[name]);
  for (const name of ['undelivered', 'undeliveredToTarget']) {
    const given = (options as Readonly<Record<string, unknown>>)[name];
    if (given !== undefined) checkFunction(given);
  }
}
