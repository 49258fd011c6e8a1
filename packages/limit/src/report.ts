// What `inspect` tells of a limit.

import type { Holder, Waiter } from '@sluice/core';
import type { Slots } from './slots.ts';

export interface LimitReport {
  readonly kind: 'limit';
  readonly name: string;
  readonly state: 'open' | 'closed';
  readonly concurrency: number;
  /** Functions that run, of all agents. */
  readonly activeCount: number;
  /** Calls that wait, of all agents. */
  readonly pendingCount: number;
  /** The agents that have functions running, and how many each. */
  readonly holders: readonly Holder[];
  /** In the order in which they will run. */
  readonly waiters: readonly Waiter[];
  /** Calls that gave up and whose places are still in line; they delay nobody. */
  readonly abandoned: number;
}

export function reportLimit(slots: Slots): LimitReport {
  const { name, state, holders, waiters, abandoned } = slots.semaphore.inspect();
  return {
    kind: 'limit',
    name,
    state,
    concurrency: slots.size,
    activeCount: holders.reduce((sum, { permits }) => sum + permits, 0),
    pendingCount: waiters.length,
    holders,
    waiters,
    abandoned,
  };
}
