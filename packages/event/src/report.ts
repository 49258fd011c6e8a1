// The fields of `inspect` for a manual-reset event.

import type { Waiter } from '@sluice/core';
import { GRANT } from '@sluice/core/format';
import { readName, type BlockRef } from '@sluice/core/internal';
import { withoutPermits, type LineReport } from '@sluice/core/report';

export interface ManualResetEventReport {
  readonly kind: 'manual-reset-event';
  readonly name: string;
  /** Whether a wait returns at once. */
  readonly isSet: boolean;
  /** The waiters. All of them are admitted at once. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
}

/** Returns whether the event is set: the lowest bit of the word. */
export function isSetAt({ context: { words }, address }: BlockRef): boolean {
  return (words.load32(address + GRANT) & 1) !== 0;
}

export function reportManualEvent(ref: BlockRef, { waiters }: LineReport): ManualResetEventReport {
  return {
    kind: 'manual-reset-event',
    name: readName(ref.context.words, ref.address),
    isSet: isSetAt(ref),
    waiters: waiters.map(withoutPermits),
  };
}
