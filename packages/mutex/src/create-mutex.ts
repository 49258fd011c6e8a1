// The creation of a mutex: its options, and its block.

import type { WaitingPolicy } from '@sluice/core';
import { FLAG_TURNS } from '@sluice/core/format';
import { checkOptions, PLACED_OPTIONS, show } from '@sluice/core/calls';
import { createOwnedLock, type Kind, type LockOptions, type LockTraits, type BlockRef } from '@sluice/core/internal';
import type { MutexSteps } from './kinds.ts';

/**
 * In which order threads get a mutex.
 *
 * - `'turns'`: a running thread may lock the mutex again and again for half a millisecond, even past waiters. Then the
 *   longest waiter gets it. A waiter with w waiters before it waits at most w + 1 turns, plus the time of critical
 *   sections and wake-ups.
 * - `'fifo'`: each unlock hands the mutex to the longest waiter. That costs a wake-up per critical section.
 */
export type MutexOrder = 'turns' | 'fifo';

export interface MutexOptions extends LockOptions {
  /** In which order threads get the mutex. Default: `'turns'`. */
  readonly order?: MutexOrder | undefined;
}

export const MUTEX_OPTIONS: readonly string[] = [...PLACED_OPTIONS, 'order'];

/** Data behind a mutex's line. `fill` writes it before another agent can find the mutex. */
export type MutexData = Omit<LockTraits, 'flags' | 'recorded'>;

/**
 * Creates a block with a free mutex. Returns its place and this agent's policy. `traits` is for a kind that keeps data
 * in the same block.
 */
export function createMutex(
  kind: Kind<MutexSteps>,
  options: MutexOptions,
  traits: MutexData = {},
): [BlockRef, WaitingPolicy] {
  const { names = MUTEX_OPTIONS } = traits;
  checkOptions(options, names);
  const { order = 'turns' }: { readonly order?: unknown } = options;
  if (order !== 'turns' && order !== 'fifo')
    throw new TypeError(`order must be 'turns' or 'fifo': received ${show(order)}`);
  return createOwnedLock(kind, options, { ...traits, flags: order === 'turns' ? FLAG_TURNS : 0, names });
}
