// A bound for what waits that give up leave behind in lanes in which no wait takes up a place again
// (kernel/multilane.ts). A wait that may give up fails at the bound; waits without a timeout and a signal do not.

import { ArenaFullError } from '@sluice/core';

/** At this many cancelled places in the lanes of a semaphore, a wait that may give up fails. */
export const MOST_LEFT = 1024;
/**
 * Counting visits all waiters of the arena, so an agent counts only once in so many waits. Each agent may exceed the
 * bound by that number.
 */
const WAITS_BETWEEN_COUNTS = 64;

export class LeftBehind {
  readonly #count: () => number;
  readonly #title: () => string;
  #waits = 0;

  constructor(count: () => number, title: () => string) {
    this.#count = count;
    this.#title = title;
  }

  /** Call it before a wait that may give up. Throws `ArenaFullError`. */
  check(): void {
    this.#waits += 1;
    if (this.#waits < WAITS_BETWEEN_COUNTS) return;
    const left = this.#count();
    if (left >= MOST_LEFT) {
      throw new ArenaFullError(
        `${this.#title()} has ${left} places in line of waits that gave up. Until it has released some permits, a call that may give up cannot ` +
          "wait. Nothing was changed; wait without a timeout, or use lanes of the kind 'semaphore', which have no such bound.",
      );
    }
    this.#waits = 0;
  }
}
