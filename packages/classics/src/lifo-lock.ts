// A stack of waiters: last in, first out.
// Words, states and invariants: kernel/queued.ts.

import type { WaitingPolicy } from '@sluice/core';
import {
  checkOptions,
  createOwnedLock,
  FROM_OPTIONS,
  handleTo,
  mergePolicy,
  openPrimitive,
  rejoin,
  type LockOptions,
  type Place,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import { LIFO } from './kinds.ts';
import { QueuedLock } from './queued-lock.ts';

export type LifoLockHandle = PrimitiveHandle<'sluice.lifo-lock'>;

const SHAPE = { className: 'LifoLock', what: 'The lock', manner: { unordered: true, rejoin }, kind: LIFO };
let construct: (place: Place, policy: WaitingPolicy) => LifoLock;

/**
 * A maximally unfair (LIFO) lock: the owner hands it to the waiter that came last. Use it to see what unfairness does,
 * and as the worst case for `@sluice/capacitor`, which makes it fair.
 *
 * One owner at a time, and no barging past waiters. The first waiter to come is the last to be served, so it may
 * starve. When the owner dies and is reclaimed, the next waiter acquires the lock with `OwnerDiedError` (see
 * `OwnedLock`).
 *
 * ```ts run
 * import { LifoLock } from '@sluice/classics';
 *
 * const lock = LifoLock.create();
 * const order: string[] = [];
 * lock.lock();
 * const all = ['first', 'second', 'third'].map((name) => lock.runAsync(() => order.push(name)));
 * lock.unlock();
 * await Promise.all(all);
 * console.log(order.join(' ')); // third second first
 * ```
 */
export class LifoLock extends QueuedLock<'lifo-lock'> {
  /** Post this to another thread and give it to `LifoLock.from` there. */
  readonly handle: LifoLockHandle;

  static {
    construct = (place, policy) => new this(place, policy);
  }

  private constructor(place: Place, policy: WaitingPolicy) {
    super(place, policy, SHAPE, 'lifo-lock');
    this.handle = handleTo('sluice.lifo-lock', place, LIFO.kernel.id);
  }

  /** A new lock, free. Throws `RangeError`, `TypeError`, `ArenaFullError`. */
  static create(options: LockOptions = {}): LifoLock {
    return construct(...createOwnedLock(LIFO, options));
  }

  /** The lock that a handle refers to. Throws `HandleError`; `ArenaFullError` if no record is left for this agent. */
  static from(handle: LifoLockHandle, options: Pick<LockOptions, 'policy'> = {}): LifoLock {
    checkOptions(options, FROM_OPTIONS);
    const place = openPrimitive(handle, LIFO);
    return construct(place, mergePolicy(place.arena.policy, options.policy));
  }
}

/** A lock over words that exist already: for models. */
export function lifoLockAt(place: Place, policy: WaitingPolicy): LifoLock {
  return construct(place, policy);
}
