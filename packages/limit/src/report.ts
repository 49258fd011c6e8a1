// What `inspect` reports for a limit.

import type { Holder, SemaphoreReport, Waiter } from '@sluice/core';
import type { IntervalReport } from './pace.ts';

export interface LimitReport {
  readonly kind: 'limit';
  readonly name: string;
  readonly state: 'open' | 'closed';
  readonly concurrency: number;
  /** The number of running functions, of all agents. */
  readonly activeCount: number;
  /** The number of waiting calls, of all agents. Over a semaphore with `recovery: false`: of agents with waiting calls. */
  readonly pendingCount: number;
  /** The agents that run functions, and how many each runs. */
  readonly holders: readonly Holder[];
  /** The agents with waiting calls, each once, in the order in which they get the next slots. */
  readonly waiters: readonly Waiter[];
  /** Places in line that agents gave up and that are still there; they delay no call. */
  readonly abandoned: number;
  /** Of a limit with an interval. */
  readonly interval?: IntervalReport;
}

/** The slots of a limit, as its report sees them. */
interface ReportedSlots {
  readonly size: number;
  pending(waiters: number): number;
}

/** Where the calls of a limit wait, and which agents run functions. */
export type LineOfLimit = Pick<SemaphoreReport, 'name' | 'state' | 'holders' | 'waiters' | 'abandoned'>;

export function reportLimit(slots: ReportedSlots, { name, state, holders, waiters, abandoned }: LineOfLimit): LimitReport {
  return {
    kind: 'limit',
    name,
    state,
    concurrency: slots.size,
    activeCount: holders.reduce((sum, { permits }) => sum + permits, 0),
    pendingCount: slots.pending(waiters.length),
    holders,
    waiters,
    abandoned,
  };
}
