// The fields of `inspect` for an auto-reset event.

import type { Waiter } from '@sluice/core';
import { OFFICE } from '@sluice/core/format';
import { readName, type BlockRef } from '@sluice/core/internal';
import { withoutPermits, type LineReport } from '@sluice/core/report';

export interface AutoResetEventReport {
  readonly kind: 'auto-reset-event';
  readonly name: string;
  /** Whether the next `wait` returns at once. */
  readonly signalled: boolean;
  /** The waiters, in the order in which they will be served. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
  /** The number of cancelled waits whose places are still in line. They delay no other waiter. */
  readonly abandoned: number;
}

/** Whether the next `wait` returns at once. */
export function isSignalled({ context: { words }, address }: BlockRef): boolean {
  return words.load32(address + OFFICE) === 1;
}

export function reportEvent(ref: BlockRef, { waiters, abandoned }: LineReport): AutoResetEventReport {
  return {
    kind: 'auto-reset-event',
    name: readName(ref.context.words, ref.address),
    signalled: isSignalled(ref),
    waiters: waiters.map(withoutPermits),
    abandoned,
  };
}
