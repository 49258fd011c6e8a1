// Takes over the lock of a dead owner behind a gate.
//
// A lock has `takeOver` only if its inner lock detects dead owners.

import { MisuseError, RecoveryGuard, type Inheritable, type WaitOptions } from '@sluice/core';
import { checkWait } from '@sluice/core/calls';
import type { Gate } from '../gates/gate.ts';
import { isOwned, type InnerLock } from './inner-lock.ts';
import { GateVisit } from './gate-visit.ts';

/** The lock behind the gate. Its guard's unlock departs. */
type Outer = Inheritable & { toString(): string };

/** Takes over as `CapacitorLock.takeOver` does. */
export function takeOverBehind(gate: Gate, lock: Outer, inner: InnerLock): RecoveryGuard | null {
  if (!isOwned(inner) || inner.takeOver === undefined) throw noTakeOver(lock);
  const visit = new GateVisit(lock, gate, gate.routes, true);
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
  const visit = new GateVisit(lock, gate, gate.routes, true, timeout);
  try {
    const wait = { ...others, timeout };
    return succeed(await inner.takeOverAsync(visit.arriveNow() ? wait : await visit.arriveAsync(wait)), visit, lock);
  } catch (failure) {
    throw visit.inWhole(failure);
  } finally {
    visit.leave();
  }
}

function succeed(guard: RecoveryGuard | null, visit: GateVisit, lock: Outer): RecoveryGuard | null {
  if (guard === null) return null;
  visit.begin();
  return new RecoveryGuard(lock);
}

function noTakeOver(lock: Outer): MisuseError {
  return new MisuseError(`${lock.toString()}: its inner lock cannot be taken over. It was not locked.`);
}
