// The reciprocating lock of Dice & Kogan: arrivals form a stack that the owner detaches whole and serves from the top.
// Words, states and invariants: kernel/queued.ts.

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
import { FLAG_RECIPROCATING } from './kernel/layout.ts';
import { RECIPROCATING } from './kinds.ts';
import { QueuedLock } from './queued-lock.ts';

export type ReciprocatingLockHandle = PrimitiveHandle<'sluice.reciprocating-lock'>;

const SHAPE = {
  className: 'ReciprocatingLock',
  what: 'The lock',
  behaviour: { unordered: true, rejoin },
  kind: RECIPROCATING,
};
let construct: (ref: BlockRef, policy: WaitingPolicy) => ReciprocatingLock;

/**
 * A lock that serves its waiters in segments. When a segment is served, the owner detaches all waiters that have
 * arrived as the next segment. They are served, the latest first, before any agent that arrives later.
 *
 * No waiter starves: each agent that comes later overtakes a waiter at most once. Of two agents that lock in a loop,
 * one acquires the lock at most twice as often as the other. When the owner dies and is reclaimed, the next waiter
 * acquires the lock with `OwnerDiedError` (see `OwnedLock`).
 *
 * ```ts run
 * import { ReciprocatingLock } from '@sluice/classics';
 *
 * const lock = ReciprocatingLock.create();
 * const order: string[] = [];
 * lock.lock();
 * const all = ['first', 'second', 'third'].map((name) => lock.runAsync(() => order.push(name)));
 * lock.unlock();
 * await Promise.all(all);
 * console.log(order.join(' ')); // third second first
 * ```
 */
export class ReciprocatingLock extends QueuedLock<'reciprocating-lock'> {
  /** The handle to post to another thread. Pass it to `ReciprocatingLock.from` there. */
  readonly handle: ReciprocatingLockHandle;

  static {
    construct = (ref, policy) => new this(ref, policy);
  }

  private constructor(ref: BlockRef, policy: WaitingPolicy) {
    super(ref, policy, SHAPE, 'reciprocating-lock');
    this.handle = handleTo('sluice.reciprocating-lock', ref, RECIPROCATING.kernel.id);
  }

  /**
   * Creates a free lock.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: LockOptions = {}): ReciprocatingLock {
    return construct(...createOwnedLock(RECIPROCATING, options, { flags: FLAG_RECIPROCATING }));
  }

  /**
   * Opens the lock that a handle refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live lock.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: ReciprocatingLockHandle, options: Pick<LockOptions, 'policy'> = {}): ReciprocatingLock {
    return construct(...openWithPolicy(RECIPROCATING, handle, options));
  }
}

/** Creates a lock over existing words. For models. */
export function reciprocatingLockAt(ref: BlockRef, policy: WaitingPolicy): ReciprocatingLock {
  return construct(ref, policy);
}
