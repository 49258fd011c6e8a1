// Runs a body behind a gate by the inner lock's own `run`.
//
// A capacitor lock does this only if its inner lock detects dead owners. After an owner's death, `lock` would keep the
// inner lock and its notice. Only the inner lock can pass both on unread.

import type { NotPromise, OwnerDiedOptions, WaitOptions } from '@sluice/core';
import type { ownerDiedIn } from '@sluice/core/calls';
import type { OwnedInner } from './inner-lock.ts';
import type { GateVisit } from './gate-visit.ts';

/** Runs `body` with the inner lock held, and returns its result. */
export function runBehind<T>(
  visit: GateVisit,
  inner: OwnedInner,
  body: () => NotPromise<T>,
  options?: OwnerDiedOptions,
): T {
  visit.arrive();
  try {
    // Wrap the result in an object: otherwise the inner lock would refuse a promise, in its own name, while this agent
    // is still inside.
    return inner.run(() => ({ of: visit.hold(body) }), options).of;
  } finally {
    visit.leave();
  }
}

/**
 * Runs `body` as `runBehind` does, until the promise that `body` returns settles. `through` tells whether the visit goes
 * through the gate.
 */
export async function runBehindAsync<T>(
  visit: GateVisit,
  through: boolean,
  inner: OwnedInner,
  body: () => T | PromiseLike<T>,
  wait: WaitOptions,
  onOwnerDied: ReturnType<typeof ownerDiedIn>,
): Promise<T> {
  const recovery = onOwnerDied === undefined ? {} : { onOwnerDied };
  try {
    const rest = through && !visit.arriveNow() ? await visit.arriveAsync(wait) : wait;
    return await inner.runAsync(() => visit.holdAsync(body), { ...rest, ...recovery });
  } catch (failure) {
    throw visit.inWhole(failure);
  } finally {
    visit.leave();
  }
}
