// Takes an agent from the gate to the inner lock of a capacitor lock, by one of two routes.
//
// ROUTES: each holding has one, and its unlock takes the same route back.
//
//   through   the agent arrived, so its unlock departs
//   around    `fraction`: a Bernoulli trial chose this route
//             `skipWhenUncontended`: the capacitor was empty and the inner lock was free
//             nested: this agent owns the inner lock already; the inner lock decides whether it may lock it again
//
// INVARIANTS
//
//   1. An agent that arrived departs: after its unlock, or at once if it could not acquire the inner lock for any
//      reason. If the agent died, recovery departs for it (`departCapacitorForDead` in kernel/capacitor.ts).
//   2. Skipping keeps the bound. A waiter counts at the capacitor from its arrival until it departs, so an agent that
//      comes to lock later finds the capacitor not empty. An agent that checked before the arrival may still overtake
//      once. That agent is no later arrival, so the bound holds.

import { OwnerDiedError, RecoveryGuard, type Inheritable } from '@sluice/core';
import { cameWithLock, saysOwned, type InnerLock } from './inner-lock.ts';
import type { Gate } from '../gates/gate.ts';
import type { GateSettings } from './gate-settings.ts';
import type { Routes } from '../gates/routes.ts';
import { arriveAt } from './gate-visit.ts';

export class GatedEntrance {
  readonly #lock: Inheritable;
  readonly #inner: InnerLock;
  readonly #gate: Gate;
  readonly #fraction: number;
  readonly #skips: boolean;
  readonly #routes: Routes;

  /** `lock` is the lock as callers see it: messages name it, and its unlock departs. */
  constructor(lock: Inheritable, inner: InnerLock, { gate, fraction, skipWhenUncontended }: GateSettings) {
    this.#lock = lock;
    this.#inner = inner;
    this.#gate = gate;
    this.#fraction = fraction;
    this.#skips = skipWhenUncontended;
    this.#routes = gate.routes;
  }

  /** Acquires the lock by a route that it chooses. */
  lock(): void {
    const through = !this.isNested() && !this.isDiverted();
    if (through && this.skips()) return;
    if (through) arriveAt(this.#gate, this.#routes, this.#lock);
    try {
      this.#inner.lock();
    } catch (failure) {
      throw this.failed(failure, through);
    }
    this.#routes.note(through);
  }

  /** Acquires the lock around an empty gate, if `skipWhenUncontended` is set and the inner lock is free. */
  skips(): boolean {
    return this.#skips && this.#gate.empty && this.tryInner(0, false);
  }

  /** Tries the inner lock, after an arrival or around the gate. */
  tryInner(timeoutMs: number, through: boolean): boolean {
    let locked: boolean;
    try {
      // A third-party lock may return a value that is not a boolean.
      locked = Boolean(this.#inner.tryLock?.(timeoutMs));
    } catch (failure) {
      throw this.failed(failure, through);
    }
    if (locked) this.#routes.note(through);
    else if (through) this.#gate.depart();
    return locked;
  }

  /** Whether the trial of `fraction` chooses the route around the gate. */
  isDiverted(): boolean {
    return this.#fraction > 0 && Math.random() < this.#fraction;
  }

  /**
   * Whether this agent owns the inner lock. Then no waiter inside the capacitor can acquire it until this agent
   * unlocks.
   */
  isNested(): boolean {
    return this.#routes.held !== 0 && saysOwned(this.#inner);
  }

  /** Handles a failure of the inner lock: the agent departs, unless it holds the inner lock nevertheless. */
  failed(failure: unknown, through: boolean): unknown {
    if (!cameWithLock(failure)) {
      if (through) this.#gate.depart();
      return failure;
    }
    this.#routes.note(through);
    // The guard's unlock departs, too.
    return new OwnerDiedError(failure.message, new RecoveryGuard(this.#lock));
  }
}
