// What a world of the model is made from.

import type * as Entry from './entry.ts';

/** The source under test: as it stands, or with one line changed. */
export type Core = typeof Entry;

export interface Setup {
  /** Free permits of each semaphore at the start. */
  readonly permits: readonly number[];
  readonly agents: number;
  readonly buckets?: number;
  readonly max?: number;
  /** The most permits of one semaphore that may ever be held. Default: those that are free at the start. */
  readonly most?: number;
  /** Where the counters begin. */
  readonly start?: bigint;
  /** The only permit is the ownership of a lock. */
  readonly owned?: boolean;
  /** Elements in the pool. Default: one for each agent and one more. */
  readonly elements?: number;
  /**
   * Agents may wait without blocking: each notification is counted, so that their event loops see it (async-loop.ts).
   */
  readonly async?: boolean;
  /** Each agent for which there is one has an element at hand from the start, and keeps it after a wait. */
  readonly spares?: boolean;
}
