// The set-up of a world of the model.

import type * as Entry from './entry.ts';

/** The source under test, with or without a mutant. */
export type Core = typeof Entry;

export interface Setup {
  /** Free permits of each semaphore at the start. */
  readonly permits: readonly number[];
  readonly agents: number;
  readonly buckets?: number;
  readonly max?: number;
  /** The maximum number of permits of one semaphore that may be held. Default: the number free at the start. */
  readonly most?: number;
  /** The start value of the counters. */
  readonly start?: bigint;
  /** Whether the only permit is the ownership of a lock. */
  readonly owned?: boolean;
  /** The number of elements in the pool. Default: one more than the number of agents. */
  readonly elements?: number;
  /**
   * Whether agents may wait without blocking. Then each notification is counted, so that their event loops see it
   * (async-loop.ts).
   */
  readonly async?: boolean;
  /** Whether each agent has a spare element from the start, as far as the pool has one, and keeps it after a wait. */
  readonly spares?: boolean;
}
