// The handle of a capacitor lock, and the gate to which it leads.

import { HandleError } from '@sluice/core';
import { checkOptions, FROM_OPTIONS, show } from '@sluice/core/calls';
import { Capacitor } from '../gates/capacitor.ts';
import { LanedCapacitor } from '../gates/laned-capacitor.ts';
import { RandomLanes } from '../gates/random-lanes.ts';
import type { SemaphoreCapacitor, SemaphoreCapacitorHandle } from '../gates/semaphore-capacitor.ts';
import { Turnstile } from '../gates/turnstile.ts';
import { checkGate } from './create-gate.ts';
import { refOf, type InnerLock, type InnerRef } from './inner-lock.ts';
import type { CapacitorLockOptions } from './lock-options.ts';
import type { GateHandle, GateSettings } from './gate-settings.ts';

/** A handle to post to another thread. Pass it to `CapacitorLock.from` there, with the inner lock. */
export interface CapacitorLockHandle {
  readonly kind: 'sluice.capacitor-lock';
  readonly gate: GateHandle;
  readonly inner: InnerRef | undefined;
  readonly fraction: number;
  readonly skipWhenUncontended: boolean;
}

/** Resolves a handle. Throws `HandleError`. */
export function findGateSettings(
  handle: CapacitorLockHandle,
  inner: InnerLock,
  options: Pick<CapacitorLockOptions, 'policy' | 'gate'>,
): GateSettings {
  checkOptions(options, [...FROM_OPTIONS, 'gate']);
  checkHandle(handle);
  const { gate, fraction, skipWhenUncontended } = handle;
  const ref = refOf(inner);
  if (handle.inner?.address !== ref?.address || handle.inner?.tag !== ref?.tag || handle.inner?.arena !== ref?.arena) {
    throw new HandleError(
      `The capacitor wraps a different inner lock from the one given: ${show(ref?.kind ?? inner)}.`,
    );
  }
  return { gate: findGate(gate, options), fraction, skipWhenUncontended };
}

function checkHandle(handle: unknown): asserts handle is CapacitorLockHandle {
  const { kind, gate, fraction, skipWhenUncontended } = (
    typeof handle === 'object' && handle !== null ? handle : {}
  ) as Record<string, unknown>;
  const fits =
    kind === 'sluice.capacitor-lock' &&
    typeof gate === 'object' &&
    gate !== null &&
    typeof fraction === 'number' &&
    fraction >= 0 &&
    fraction <= 1 &&
    typeof skipWhenUncontended === 'boolean';
  if (!fits) throw new HandleError(`Not a handle of a capacitor lock: received ${show(handle)}`);
}

function findGate(
  gate: GateHandle,
  { gate: given, ...options }: Pick<CapacitorLockOptions, 'policy' | 'gate'>,
): GateSettings['gate'] {
  if (gate.kind === 'sluice.semaphore-capacitor') return sameGate(gate, given);
  if (given !== undefined) throw new TypeError('gate is only for a lock that was created with one.');
  switch (gate.kind) {
    case 'sluice.turnstile':
      return Turnstile.from(gate, options);
    case 'sluice.laned-capacitor':
      return LanedCapacitor.from(gate, options);
    case 'sluice.random-lanes':
      return RandomLanes.from(gate, options);
    case 'sluice.capacitor':
      return Capacitor.from(gate, options);
    default:
      throw new HandleError(`Not a handle of a capacitor lock: received ${show(gate)}`);
  }
}

/** Returns the capacitor that the caller opened, if the handle refers to it. */
function sameGate(handle: SemaphoreCapacitorHandle, given: SemaphoreCapacitor | undefined): SemaphoreCapacitor {
  checkGate(given);
  const { address, tag, arena } = given.handle;
  if (address !== handle.address || tag !== handle.tag || arena !== handle.arena)
    throw new HandleError(`The lock has another gate than the one given: ${given.toString()}.`);
  return given;
}
