// The plan of a call that acquires several locks: each lock once, in the order of arena, address and key.
//
// No cycle: an agent of the plan waits for a lock only while it holds locks of lower positions. Take the agent that
// waits for the lock of the highest position. No holder of that lock waits for a lock of a plan, so the holder goes on
// and releases it. Waiters before the agent in the line hold only lower positions, too.

import { show } from '../api/check.ts';
import type { AsyncLock, Lock } from '../api/lock.ts';
import { LOCK_POSITION, positionIn, type Position } from './lock-position.ts';

/**
 * A lock that `holdAll` accepts: a `Mutex`, a `RecursiveMutex`, a side of an `RwLock`, permits of a semaphore
 * (`semaphore.asLock(n)`), a key of a `KeyedMutex` (`keyed.at(key)`), or a lock of `@sluice/classics`.
 */
export type PlacedLock = Lock & AsyncLock;

interface Step {
  readonly lock: PlacedLock;
  readonly position: Position;
}

/**
 * Returns the locks in the order of their positions. An object that is given several times, and a lock that several
 * objects stand for, is in the plan once. Permits of the same semaphore add up. Of several sides of one read-write
 * lock, the call acquires only the strongest.
 *
 * @throws {TypeError} If `locks` is not an array of locks that have a position.
 */
export function planOf(call: string, locks: readonly PlacedLock[]): readonly PlacedLock[] {
  if (!Array.isArray(locks))
    throw new TypeError(
      `${call} expects an array of locks, such as [a, b]: received ${show(locks)}. Nothing was locked.`,
    );
  const given = Array.from<unknown, Step>(locks, (lock, index) => ({
    lock: lock as PlacedLock,
    position: positionOf(call, lock, index),
  }));
  const steps = [...new Map(given.map((step) => [step.lock, step])).values()];
  steps.sort((one, other) => compare(one.position, other.position));
  return merged(steps).map(({ lock }) => lock);
}

function compare(one: Position, other: Position): number {
  return byText(one.arena, other.arena) || one.address - other.address || byText(one.key ?? '', other.key ?? '');
}

/** By UTF-16 code units: the same order in every locale. */
function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Joins neighbours with the same position. */
function merged(sorted: readonly Step[]): Step[] {
  const steps: Step[] = [];
  for (const step of sorted) {
    const last = steps.at(-1);
    if (last !== undefined && compare(last.position, step.position) === 0) steps[steps.length - 1] = joined(last, step);
    else steps.push(step);
  }
  return steps;
}

function joined(one: Step, other: Step): Step {
  const { permits, withPermits } = one.position;
  if (permits !== undefined && withPermits !== undefined) {
    const sum = permits + (other.position.permits ?? 0);
    return { lock: withPermits(sum), position: { ...one.position, permits: sum } };
  }
  return (other.position.side ?? 0) > (one.position.side ?? 0) ? other : one;
}

function positionOf(call: string, lock: unknown, index: number): Position {
  const own = typeof lock === 'object' && lock !== null && LOCK_POSITION in lock ? lock[LOCK_POSITION] : undefined;
  if (typeof own !== 'string' && isLock(lock)) {
    const position = LOCK_POSITION in lock ? (own as Position | undefined) : positionIn(lock.handle);
    if (position !== undefined) return position;
  }
  throw new TypeError(`${call}: element ${index} ${whyNot(lock, own)}. Nothing was locked.`);
}

/** Whether the value has the operations of a lock. */
function isLock(value: unknown): value is PlacedLock & { readonly handle?: unknown } {
  return ['lock', 'tryLock', 'lockAsync', 'unlock'].every((name) => has(value, name));
}

function has(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && typeof (value as Record<string, unknown>)[name] === 'function';
}

/** `own`: the `LOCK_POSITION` of a primitive that is no lock itself says which locks it has. */
function whyNot(value: unknown, own: unknown): string {
  const title = titleOf(value);
  if (typeof own === 'string') return `is ${title}: ${own}`;
  if (has(value, 'asLock')) return `is ${title}: pass its permits as a lock, semaphore.asLock(1)`;
  return isLock(value) ? `is ${title}, which has no position in an arena` : `is not a lock: received ${show(value)}`;
}

/** The title of a primitive; the kind of value for all others. */
function titleOf(value: unknown): string {
  return has(value, 'toString') ? (value as { toString(): string }).toString() : show(value);
}
