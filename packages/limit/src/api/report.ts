// The report of a limit, which `inspect` returns.

import type { Holder, SemaphoreReport, Waiter } from '@sluice/core';
import type { AdaptiveReport } from './adaptive-report.ts';
import type { SheddingReport } from './shedding-report.ts';
import type { IntervalReport } from './interval-terms.ts';

export interface LimitReport {
  readonly kind: 'limit';
  readonly name: string;
  readonly state: 'open' | 'closed';
  readonly concurrency: number;
  /** The number of running functions of all agents. */
  readonly activeCount: number;
  /**
   * The number of waiting calls of all agents. Over a semaphore with `recovery: false`: the number of agents with
   * waiting calls.
   */
  readonly pendingCount: number;
  /** The agents that run functions, each with the number of its running functions. */
  readonly holders: readonly Holder[];
  /** The agents with waiting calls, each once, in the order in which they get the next slots. */
  readonly waiters: readonly Waiter[];
  /** The number of places in line that agents gave up and that are still there. They delay no call. */
  readonly abandoned: number;
  /** The interval, if the limit has one. */
  readonly interval?: IntervalReport;
  /** How the limit finds its size, if it does. */
  readonly adaptive?: AdaptiveReport;
  /** How many calls may wait, if their number has a maximum. */
  readonly shedding?: SheddingReport;
}

/** The part of `Slots` that a report reads. */
interface ReportedSlots {
  readonly size: number;
  pending(waiters: number): number;
}

/** The waiters of a limit, and the agents that run functions. */
export type LineOfLimit = Pick<SemaphoreReport, 'name' | 'state' | 'holders' | 'waiters' | 'abandoned'>;

export function reportLimit(
  slots: ReportedSlots,
  { name, state, holders, waiters, abandoned }: LineOfLimit,
): LimitReport {
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
