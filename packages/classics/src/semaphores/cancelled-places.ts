// Bounds the number of places that cancelled waits leave in lanes, for lanes in which no wait takes up a place again
// (kernel/multilane.ts). At the bound, a wait with a timeout or a signal fails. Other waits do not.

import { ArenaFullError } from '@sluice/core';

/** At this many cancelled places in the lanes of a semaphore, a wait with a timeout or a signal fails. */
export const MAX_LEFT = 1024;
/**
 * An agent counts only once in this many waits, because counting visits all waiters of the arena. So each agent may
 * exceed the bound by this number.
 */
const WAITS_BETWEEN_COUNTS = 64;

export class CancelledPlaces {
  readonly #count: () => number;
  readonly #title: () => string;
  #waits = 0;

  constructor(count: () => number, title: () => string) {
    this.#count = count;
    this.#title = title;
  }

  /** Checks the bound. Call it before a wait with a timeout or a signal. Throws `ArenaFullError`. */
  check(): void {
    this.#waits += 1;
    if (this.#waits < WAITS_BETWEEN_COUNTS) return;
    const left = this.#count();
    if (left >= MAX_LEFT) {
      throw new ArenaFullError(
        `${this.#title()} has ${left} places in line of waits that gave up. Until it has released some permits, a call that may give up cannot ` +
          "wait. Nothing was changed; wait without a timeout, or use lanes of the kind 'semaphore', which have no such bound.",
      );
    }
    this.#waits = 0;
  }
}
