// The fields of `inspect` for an event count and a sequencer.

import type { Waiter } from '@sluice/core';
import { readName, type BlockRef } from '@sluice/core/internal';
import { withoutPermits, type LineReport } from '@sluice/core/report';

export interface EventCountReport {
  readonly kind: 'event-count';
  readonly name: string;
  /** The count: the sum of all advances. */
  readonly count: number;
  /** The waiters. Each waits for a value of its own. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
}

export interface SequencerReport {
  readonly kind: 'sequencer';
  readonly name: string;
  /** The ticket that the next call of `ticket` returns: the number of tickets that have been drawn. */
  readonly next: number;
}

export function reportEventCount(ref: BlockRef, count: number, { waiters }: LineReport): EventCountReport {
  return {
    kind: 'event-count',
    name: readName(ref.context.words, ref.address),
    count,
    waiters: waiters.map(withoutPermits),
  };
}
