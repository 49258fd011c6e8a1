// Operations that a capacitor lock has only if its inner lock detects dead owners: taking over, and `run` by the inner
// lock's own `run`. After an owner's death, `lock` would keep the inner lock and its notice. Only the inner lock can
// pass both on unread.

import {
  MisuseError,
  RecoveryGuard,
  type Inheritable,
  type NotPromise,
  type OwnerDiedOptions,
  type WaitOptions,
} from '@sluice/core';
import { checkWait, type ownerDiedIn } from '@sluice/core/internal';
import type { Gate } from './gate.ts';
import { isOwned, type InnerLock, type OwnedInner } from './inner.ts';
import { Visit } from './visit.ts';

/** The lock behind the gate. Its guard's unlock departs. */
type Outer = Inheritable & { toString(): string };

/** Takes over as `CapacitorLock.takeOver` does. */
export function takeOverBehind(gate: Gate, lock: Outer, inner: InnerLock): RecoveryGuard | null {
  if (!isOwned(inner) || inner.takeOver === undefined) throw noTakeOver(lock);
  const visit = new Visit(lock, gate, gate.routes, true);
  visit.arrive();
  try {
    return succeed(inner.takeOver(), visit, lock);
  } finally {
    visit.leave();
  }
}

/** Takes over as `CapacitorLock.takeOverAsync` does. */
export async function takeOverBehindAsync(
  gate: Gate,
  lock: Outer,
  inner: InnerLock,
  options: WaitOptions,
): Promise<RecoveryGuard | null> {
  const { timeout = Infinity, ...others } = checkWait(options);
  if (!isOwned(inner) || inner.takeOverAsync === undefined) throw noTakeOver(lock);
  const visit = new Visit(lock, gate, gate.routes, true, timeout);
  try {
    const wait = { ...others, timeout };
    return succeed(await inner.takeOverAsync(visit.arriveNow() ? wait : await visit.arriveAsync(wait)), visit, lock);
  } catch (failure) {
    throw visit.inWhole(failure);
  } finally {
    visit.leave();
  }
}

/** Runs `body` with the inner lock held, and returns its result. */
export function runBehind<T>(
  visit: Visit,
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
  visit: Visit,
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

function succeed(guard: RecoveryGuard | null, visit: Visit, lock: Outer): RecoveryGuard | null {
  if (guard === null) return null;
  visit.begin();
  return new RecoveryGuard(lock);
}

function noTakeOver(lock: Outer): MisuseError {
  return new MisuseError(`${lock.toString()}: its inner lock cannot be taken over. It was not locked.`);
}
