// The report that `inspect` returns for a condition.

import type { Waiter } from '@sluice/core';
import { readName, type BlockRef } from '@sluice/core/internal';
import { withoutPermits, type LineReport } from '@sluice/core/report';

export interface ConditionReport {
  readonly kind: 'condition';
  readonly name: string;
  /**
   * The waiters that were not notified, longest first. A notified waiter that sleeps waits for the lock; the lock's
   * report lists it.
   */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
}

export function reportCondition(ref: BlockRef, { waiters }: LineReport): ConditionReport {
  return {
    kind: 'condition',
    name: readName(ref.context.words, ref.address),
    waiters: waiters.map(withoutPermits),
  };
}
