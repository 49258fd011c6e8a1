// The attempts of an async call that has the turn. Between two attempts it waits until enough units are available.
//
// Each wait begins in the callback of the grant that ended the wait before. So an abort or a timeout always comes
// during a wait. If the grant of this wait came first, the wait succeeds.

import type { Where } from '../memory/corrupt.ts';
import { retryOrThrow } from '../memory/retry.ts';

/** The result of an attempt. `blocked`: it could not be made in this job of the event loop. */
export type AttemptOutcome = 'done' | 'wait' | 'blocked';

export class Attempts {
  /** Whether an attempt has succeeded. An attempt sets it itself before code that may throw. */
  isDone = false;
  readonly #attempt: () => AttemptOutcome;
  readonly #wait: (met: () => void) => Promise<unknown>;
  readonly #where: Where;
  #pending: Promise<unknown> | undefined;

  /**
   * `wait` begins a wait, and calls `met` in the job in which the wait is granted. `where` names the primitive in errors.
   */
  constructor(attempt: () => AttemptOutcome, wait: (met: () => void) => Promise<unknown>, where: Where) {
    this.#attempt = attempt;
    this.#wait = wait;
    this.#where = where;
  }

  /** Makes attempts until one succeeds or is blocked, or a wait has begun. `found` is the result of the first one. */
  make(found = this.#attempt()): void {
    for (let tries = 1; ; tries++) {
      this.isDone = found === 'done';
      if (found !== 'wait' || !this.#begin()) return;
      retryOrThrow(tries, this.#where);
      found = this.#attempt();
    }
  }

  /**
   * Resolves when an attempt has succeeded. Rejects as the pending wait does. Whenever no wait is pending, calls
   * `retry`, which makes an attempt that may take several jobs.
   */
  async finish(retry: () => AttemptOutcome | Promise<AttemptOutcome>): Promise<void> {
    for (let tries = 1; !this.isDone; tries++) {
      const wait = this.#pending;
      this.#pending = undefined;
      if (wait === undefined) {
        const found = retry();
        this.make(typeof found === 'string' ? found : await found);
      } else await wait;
      retryOrThrow(tries, this.#where);
    }
  }

  /** Begins a wait. Returns true if it was granted at once: then no wait is pending that an abort could end. */
  #begin(): boolean {
    let hasBegun = false;
    let atOnce = false;
    const met = (): void => {
      if (hasBegun) this.make();
      else atOnce = true;
    };
    this.#pending = this.#wait(met);
    this.#pending.catch(handledLater);
    hasBegun = true;
    return atOnce;
  }
}

function handledLater(): void {
  // `finish` awaits this wait later, perhaps after its rejection.
}
