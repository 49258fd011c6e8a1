// A stack of waiters: last in, first out. Words, states and invariants: kernel/queued.ts.

import type { WaitingPolicy } from '@sluice/core';
import {
  createOwnedLock,
  handleTo,
  openWithPolicy,
  rejoin,
  type LockOptions,
  type BlockRef,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import { LIFO } from './kinds.ts';
import { QueuedLock } from './queued-lock.ts';

export type LifoLockHandle = PrimitiveHandle<'sluice.lifo-lock'>;

const SHAPE = { className: 'LifoLock', what: 'The lock', behaviour: { unordered: true, rejoin }, kind: LIFO };
let construct: (ref: BlockRef, policy: WaitingPolicy) => LifoLock;

/**
 * A maximally unfair (LIFO) lock: the owner hands it to the waiter that arrived last. Use it to see the effects of
 * unfairness, and as the worst case for `@sluice/capacitor`, which makes it fair.
 *
 * It has one owner at a time, and no agent barges past waiters. The first waiter to arrive is the last to be served, so
 * it may starve. When the owner dies and is reclaimed, the next waiter acquires the lock with `OwnerDiedError` (see
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
  /** The handle to post to another thread. Pass it to `LifoLock.from` there. */
  readonly handle: LifoLockHandle;

  static {
    construct = (ref, policy) => new this(ref, policy);
  }

  private constructor(ref: BlockRef, policy: WaitingPolicy) {
    super(ref, policy, SHAPE, 'lifo-lock');
    this.handle = handleTo('sluice.lifo-lock', ref, LIFO.kernel.id);
  }

  /**
   * Creates a free lock.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: LockOptions = {}): LifoLock {
    return construct(...createOwnedLock(LIFO, options));
  }

  /**
   * Opens the lock that a handle refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live lock.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: LifoLockHandle, options: Pick<LockOptions, 'policy'> = {}): LifoLock {
    return construct(...openWithPolicy(LIFO, handle, options));
  }
}

/** Creates a lock over existing words. For models. */
export function lifoLockAt(ref: BlockRef, policy: WaitingPolicy): LifoLock {
  return construct(ref, policy);
}
