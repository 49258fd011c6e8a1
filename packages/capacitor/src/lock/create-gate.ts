// The gate of a new capacitor lock, as its options choose it.

import { Arena, MisuseError } from '@sluice/core';
import { checkFlag, checkInteger, checkOptions, MAX_PERMITS, show, wrongInstance } from '@sluice/core/calls';
import { Capacitor } from '../gates/capacitor.ts';
import { LanedCapacitor } from '../gates/laned-capacitor.ts';
import { checkLanes, DEFAULT_BYPASS_LIMIT } from '../gates/options.ts';
import { RandomLanes } from '../gates/random-lanes.ts';
import { SemaphoreCapacitor } from '../gates/semaphore-capacitor.ts';
import { Turnstile } from '../gates/turnstile.ts';
import type { InnerLock } from './inner-lock.ts';
import { LOCK_OPTIONS, type CapacitorLockOptions } from './lock-options.ts';
import type { GateSettings } from './gate-settings.ts';

/** Checks the options and creates the gate. */
export function createGateSettings(inner: InnerLock, options: CapacitorLockOptions): GateSettings {
  checkOptions(options, LOCK_OPTIONS);
  const { fraction = 0, skipWhenUncontended = false } = options;
  checkFraction(fraction);
  checkFlag('skipWhenUncontended', skipWhenUncontended);
  if (skipWhenUncontended && inner.tryLock === undefined)
    throw new TypeError('skipWhenUncontended needs an inner lock with tryLock.');
  const gate =
    options.gate === undefined
      ? createGate({ ...options, arena: arenaFor(inner, options.arena) })
      : givenGate(inner, options.gate, options);
  return { gate, fraction, skipWhenUncontended };
}

/** The options of `create` that choose a gate. */
const CHOOSE_A_GATE = ['bypassLimit', 'lanes', 'arena', 'name', 'policy'] as const;

function givenGate(inner: InnerLock, gate: SemaphoreCapacitor, options: CapacitorLockOptions): SemaphoreCapacitor {
  checkGate(gate);
  const other = CHOOSE_A_GATE.find((name) => options[name] !== undefined);
  if (other !== undefined)
    throw new TypeError(`${other} cannot be combined with gate, which was created with its own.`);
  arenaFor(inner, gate.arena);
  return gate;
}

/** Throws `TypeError` if the option `gate` is no capacitor over a semaphore. */
export function checkGate(gate: unknown): asserts gate is SemaphoreCapacitor {
  if (!(gate instanceof SemaphoreCapacitor))
    throw wrongInstance('The gate', 'SemaphoreCapacitor', 'sluice.semaphore-capacitor', gate);
}

function checkFraction(fraction: unknown): void {
  if (typeof fraction !== 'number') throw new TypeError(`fraction must be a number: received ${show(fraction)}`);
  if (!(fraction >= 0 && fraction <= 1)) throw new RangeError(`fraction must be 0 to 1: received ${fraction}`);
}

function arenaFor(inner: InnerLock, wanted: Arena | undefined): Arena | undefined {
  const { arena } = inner as { readonly arena?: unknown };
  if (!(arena instanceof Arena)) return wanted;
  if (wanted !== undefined && arena !== wanted) {
    throw new MisuseError('The inner lock lives in a different arena from the one given for its capacitor.');
  }
  return arena;
}

function createGate({
  lanes,
  bypassLimit = lanes === undefined ? 'adaptive' : DEFAULT_BYPASS_LIMIT,
  arena,
  name,
  policy,
}: CapacitorLockOptions): GateSettings['gate'] {
  const options = { arena, name, policy };
  if (bypassLimit === 'adaptive') {
    if (lanes !== undefined)
      throw new TypeError(
        "lanes cannot be combined with bypassLimit 'adaptive', which lets in one agent at a time: give a number as bypassLimit.",
      );
    return Turnstile.create(options);
  }
  checkInteger("bypassLimit, if it is not 'adaptive',", bypassLimit, 1, MAX_PERMITS);
  if (lanes === undefined) return Capacitor.create({ ...options, bypassLimit });
  if ((lanes as unknown) === null) throw new TypeError('lanes must be a number or an object: received null');
  const { count, order } = typeof lanes === 'object' ? lanes : { count: lanes, order: 'ordered' };
  checkLanes(count, bypassLimit);
  if (order === 'random') return RandomLanes.create(count, { ...options, bypassLimit });
  if (order !== 'ordered') throw new TypeError(`lanes.order must be 'ordered' or 'random': received ${show(order)}`);
  return LanedCapacitor.create({ ...options, bypassLimit, lanes: count });
}
