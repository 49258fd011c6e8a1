// What `selectAsync` needs of a source.

import type { WaitOptions } from '@sluice/core';

/** What came of a source: what was taken, or that something was taken but cannot be used, because of `failure`. */
export type Outcome<T> = { readonly value: T } | { readonly failure: unknown };

/**
 * One source of a `selectAsync`. The functions of `select` make them; a custom source must implement the methods as
 * documented.
 */
export interface Source<T> {
  /** Takes at once, without waiting. `undefined`: it cannot. Throws if it never will be able to. */
  tryNow(): Outcome<T> | undefined;
  /**
   * Waits until it can take. At that moment it calls `claim`. If that returns `true`, it takes, and resolves with what
   * it took. If not, another source was first: it takes nothing, or gives back what it has, and resolves with
   * `undefined`. Rejects soon after an abort of the signal, unless it can take by then. Rejects if it never will be
   * able to take.
   */
  wait(options: WaitOptions, claim: () => boolean): Promise<Outcome<T> | undefined>;
}
