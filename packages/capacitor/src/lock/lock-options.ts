// The options of a capacitor lock, and the gate that they choose.

import { Arena, HandleError, MisuseError, type WaitingPolicy } from '@sluice/core';
import {
  checkFlag,
  checkInteger,
  checkOptions,
  FROM_OPTIONS,
  MAX_PERMITS,
  show,
  wrongInstance,
} from '@sluice/core/calls';
import { Capacitor, type CapacitorHandle } from '../gates/capacitor.ts';
import type { Gate } from '../gates/gate.ts';
import { refOf, type InnerLock, type InnerRef } from './inner.ts';
import { LanedCapacitor, type LanedCapacitorHandle } from '../gates/laned-capacitor.ts';
import { checkLanes, DEFAULT_BYPASS_LIMIT } from '../gates/options.ts';
import { RandomLanes, type RandomLanesHandle } from '../gates/random-lanes.ts';
import { SemaphoreCapacitor, type SemaphoreCapacitorHandle } from '../gates/semaphore-capacitor.ts';
import { Turnstile, type TurnstileHandle } from '../gates/turnstile.ts';

export interface CapacitorLockOptions {
  /**
   * The bound on overtaking. Default `'adaptive'`; with `lanes` 10.
   *
   * - `'adaptive'`: agents take turns in FIFO order. A turn has as many holdings as fit in half a millisecond, B on
   *   average. At most (w + 1) · 5/4 · B agents that arrive after a waiter with w waiters before it acquire the lock
   *   first.
   * - A number B, 1 to 2,147,483,647: at most B - 1 agents that arrive after a waiter acquire the lock before it. A
   *   small B costs nearly all of the throughput under contention: nearly every hand-off puts one thread to sleep and
   *   wakes another.
   */
  readonly bypassLimit?: number | 'adaptive' | undefined;
  /**
   * 0 to 1: the share of attempts, chosen at random, that go around the capacitor. Fairness is then statistical.
   * Default 0.
   */
  readonly fraction?: number | undefined;
  /**
   * Whether a call goes around an empty capacitor (no agent inside, none waiting) if the inner lock is free. The bound
   * holds. `run` and `runAsync` around an owned lock of this family arrive nevertheless. Default false.
   */
  readonly skipWhenUncontended?: boolean | undefined;
  /** The number of queues (lanes), a power of two up to 64. `'random'` order gives up the bound. Default: one queue. */
  readonly lanes?: number | { readonly count: number; readonly order: 'ordered' | 'random' } | undefined;
  /**
   * The capacitor, if its semaphore is not the one of a `Capacitor`. The lock uses it, and frees it with `free`. Cannot
   * be combined with `bypassLimit`, `lanes`, `arena`, `name` and `policy`.
   */
  readonly gate?: SemaphoreCapacitor | undefined;
  /** The arena of the capacitor. Default: the arena of the inner lock, or the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Shown by `inspect`; up to 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** How this agent waits at the capacitor. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
}

const LOCK_OPTIONS: readonly (keyof CapacitorLockOptions)[] = [
  'bypassLimit',
  'fraction',
  'skipWhenUncontended',
  'lanes',
  'gate',
  'arena',
  'name',
  'policy',
];

export type GateHandle =
  | CapacitorHandle
  | LanedCapacitorHandle
  | RandomLanesHandle
  | SemaphoreCapacitorHandle
  | TurnstileHandle;

/** A handle to post to another thread. Pass it to `CapacitorLock.from` there, with the inner lock. */
export interface CapacitorLockHandle {
  readonly kind: 'sluice.capacitor-lock';
  readonly gate: GateHandle;
  readonly inner: InnerRef | undefined;
  readonly fraction: number;
  readonly skipWhenUncontended: boolean;
}

/** The gate and the settings by which an agent reaches the inner lock. */
export interface Way {
  readonly gate: Gate & { readonly handle: GateHandle };
  readonly fraction: number;
  readonly skipWhenUncontended: boolean;
}

/** Checks the options and creates the gate. */
export function createWay(inner: InnerLock, options: CapacitorLockOptions): Way {
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

function checkGate(gate: unknown): asserts gate is SemaphoreCapacitor {
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
}: CapacitorLockOptions): Way['gate'] {
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

/** Resolves a handle. Throws `HandleError`. */
export function findWay(
  handle: CapacitorLockHandle,
  inner: InnerLock,
  options: Pick<CapacitorLockOptions, 'policy' | 'gate'>,
): Way {
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
): Way['gate'] {
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
