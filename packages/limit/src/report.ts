// What `inspect` reports for a limit.

import type { Holder, Waiter } from '@sluice/core';
import type { Slots } from './slots.ts';

export interface LimitReport {
  readonly kind: 'limit';
  readonly name: string;
  readonly state: 'open' | 'closed';
  readonly concurrency: number;
  /** The number of running functions, of all agents. */
  readonly activeCount: number;
  /** The number of waiting calls, of all agents. */
  readonly pendingCount: number;
  /** The agents that run functions, and how many each runs. */
  readonly holders: readonly Holder[];
  /** In the order in which they will run. */
  readonly waiters: readonly Waiter[];
  /** Calls that were cancelled and whose places are still in the queue; they delay no other call. */
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
