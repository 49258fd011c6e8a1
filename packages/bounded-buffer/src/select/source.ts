// The interface between `selectAsync` and a source.

import type { WaitOptions } from '@sluice/core';

/**
 * The outcome of a source: the value that was taken, or the `failure` because of which a taken value cannot be used.
 */
export type Outcome<T> = { readonly value: T } | { readonly failure: unknown };

/**
 * One source of a `selectAsync`. The functions of `select` create sources. A custom source must implement these
 * methods.
 */
export interface Source<T> {
  /**
   * Takes at once, without waiting. Returns `undefined` if it cannot take now.
   *
   * @throws If it will never be able to take.
   */
  tryNow(): Outcome<T> | undefined;
  /**
   * Waits until it can take, and calls `claim` at that moment. If `claim` returns `true`, it takes, and resolves with
   * what it took. Otherwise another source was first: it takes nothing, or gives back what it has, and resolves with
   * `undefined`.
   *
   * After an abort of the signal it soon rejects, unless it can take by then. It rejects if it will never be able to
   * take.
   */
  wait(options: WaitOptions, claim: () => boolean): Promise<Outcome<T> | undefined>;
}
