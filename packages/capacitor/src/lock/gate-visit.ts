// One visit to a gate: a call from its arrival to its departure. A call that ends without the inner lock departs at
// once. A call that ends with the inner lock leaves the departure to its unlock.
//
//   arrive, arriveAsync ▶ begin, when the inner lock is held ▶ leave              lockAsync, takeOver (take-over.ts)
//   arrive, arriveAsync ▶ hold, holdAsync, inside the inner lock's run ▶ leave    run (run-behind.ts)
//
// The timeout of a call covers both waits: for the gate, and then for the inner lock.

import { DeadlockError, hasCode, TimeoutError, type WaitOptions } from '@sluice/core';
import type { Titled } from '@sluice/core/calls';
import { endOf, timeoutUntil } from './deadline.ts';
import type { Gate } from '../gates/gate.ts';
import type { Routes } from '../gates/routes.ts';

/** Blocks at the gate of `lock`, unless the wait could never end. `routes` belong to the gate. */
export function arriveAt(gate: Gate, routes: Routes, lock: Titled): void {
  if (!routes.isInside) gate.arrive();
  else if (!gate.tryArrive()) {
    throw new DeadlockError(
      `${lock.toString()}: its capacitor is closed, and opens only after this agent has departed. A blocked agent cannot depart. It was not locked.`,
    );
  }
}

export class GateVisit {
  readonly #lock: Titled;
  readonly #gate: Gate;
  readonly #routes: Routes;
  readonly #through: boolean;
  readonly #timeout: number;
  /** The ms that the wait for the inner lock may take, or `undefined` if this call does not wait for it. */
  #left: number | undefined;
  #entering = false;
  /** Whether the call must depart at its end. */
  #departs = false;

  /** `through` tells whether the call goes through the gate. Other calls neither arrive nor depart. */
  constructor(lock: Titled, gate: Gate, routes: Routes, through: boolean, timeout = Infinity) {
    this.#lock = lock;
    this.#gate = gate;
    this.#routes = routes;
    this.#through = through;
    this.#timeout = timeout;
    this.#left = through ? undefined : timeout;
  }

  /** Blocks at the gate. */
  arrive(): void {
    if (!this.#through) return;
    arriveAt(this.#gate, this.#routes, this.#lock);
    this.#enter();
    this.#departs = true;
  }

  /**
   * Arrives if the gate is open, and returns whether it did. The wait for the inner lock can then begin at once, so no
   * abort can come in between.
   */
  arriveNow(): boolean {
    if (!this.#gate.tryArrive()) return false;
    this.#enter();
    this.#departs = true;
    this.#left = this.#timeout;
    return true;
  }

  /** Waits at the gate. Resolves with the options for the inner lock, with the time that is left of the timeout. */
  async arriveAsync(wait: WaitOptions): Promise<WaitOptions> {
    const end = endOf(this.#timeout);
    // Count this before the arrival: a blocking call may run between the arrival and the code after it.
    this.#enter();
    await this.#gate.arriveAsync(wait);
    this.#departs = true;
    this.#left = timeoutUntil(end);
    return { ...wait, timeout: this.#left };
  }

  /** Records that the agent holds the lock. From here on its unlock departs. */
  begin(): void {
    this.#enterNoMore();
    this.#routes.note(this.#through);
    this.#departs = false;
    // Errors after this point stay unchanged.
    this.#left = undefined;
  }

  /** Calls `body` with the lock held, for a caller that releases the lock afterwards. */
  hold<T>(body: () => T): T {
    this.begin();
    try {
      return body();
    } finally {
      this.#end();
    }
  }

  /** Calls `body` as `hold` does, until the promise that `body` returns settles. */
  async holdAsync<T>(body: () => T | PromiseLike<T>): Promise<T> {
    this.begin();
    try {
      return await body();
    } finally {
      this.#end();
    }
  }

  /** Ends the visit. Returns whether the caller must depart. */
  finish(): boolean {
    this.#enterNoMore();
    return this.#departs;
  }

  /** Ends the visit, and departs if the call does not hold the lock. */
  leave(): void {
    if (this.finish()) this.#gate.depart();
  }

  /**
   * Returns the error for the caller. If the inner lock timed out, the error names the lock behind the gate and the
   * caller's timeout.
   */
  inWhole(failure: unknown): unknown {
    const late = ` within ${this.#left} ms`;
    if (this.#left === undefined || !hasCode(failure, 'SLUICE_TIMEOUT') || !failure.message.includes(late))
      return failure;
    return new TimeoutError(
      `${this.#lock.toString()}: ${failure.message.replace(late, ` within ${this.#timeout} ms`)}`,
    );
  }

  /** Ends the holding. The body may have unlocked, and locked again by another route. */
  #end(): void {
    this.#departs = this.#routes.held > 0 && this.#routes.leave();
  }

  #enter(): void {
    this.#routes.entering += 1;
    this.#entering = true;
  }

  #enterNoMore(): void {
    if (this.#entering) this.#routes.entering -= 1;
    this.#entering = false;
  }
}
