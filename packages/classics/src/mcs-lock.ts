// The queue lock of Mellor-Crummey & Scott: each waiter waits at its own place, linked from the one before it.
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
import { FLAG_MCS } from './kernel/layout.ts';
import { MCS } from './kinds.ts';
import { countBefore } from './queue-order.ts';
import { QueuedLock } from './queued-lock.ts';

export type McsLockHandle = PrimitiveHandle<'sluice.mcs-lock'>;

// One waiter is admitted at a time, so async waits settle in order without a line of their own. A wait may take up an
// earlier place again.
const SHAPE = {
  className: 'McsLock',
  what: 'The lock',
  behaviour: { unordered: true, rejoin },
  ordered: true,
  count: countBefore,
  kind: MCS,
};
let construct: (ref: BlockRef, policy: WaitingPolicy) => McsLock;

/**
 * A fair queue lock (MCS). Each waiter spins and then sleeps at a place of its own. The owner hands the lock to the
 * longest waiter.
 *
 * Strict FIFO order over blocking and async waiters together. An unlock may have to wait for a moment while the next
 * waiter writes itself into the queue. When the owner dies and is reclaimed, the next waiter acquires the lock with
 * `OwnerDiedError` (see `OwnedLock`).
 *
 * ```ts run
 * import { McsLock } from '@sluice/classics';
 *
 * const lock = McsLock.create();
 * console.log(await lock.runAsync(async () => lock.inspect().owner > 0)); // true
 * ```
 */
export class McsLock extends QueuedLock<'mcs-lock'> {
  /** The handle to post to another thread. Pass it to `McsLock.from` there. */
  readonly handle: McsLockHandle;

  static {
    construct = (ref, policy) => new this(ref, policy);
  }

  private constructor(ref: BlockRef, policy: WaitingPolicy) {
    super(ref, policy, SHAPE, 'mcs-lock');
    this.handle = handleTo('sluice.mcs-lock', ref, MCS.kernel.id);
  }

  /**
   * Creates a free lock.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: LockOptions = {}): McsLock {
    return construct(...createOwnedLock(MCS, options, { flags: FLAG_MCS }));
  }

  /**
   * Opens the lock that a handle refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live lock.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: McsLockHandle, options: Pick<LockOptions, 'policy'> = {}): McsLock {
    return construct(...openWithPolicy(MCS, handle, options));
  }
}

/** Creates a lock over existing words. For models. */
export function mcsLockAt(ref: BlockRef, policy: WaitingPolicy): McsLock {
  return construct(ref, policy);
}
