// What a recovery reports.

/** What a dead agent left, and what became of it. */
export interface ReclaimReport {
  readonly agent: number;
  /**
   * Permits that the agent held or had been granted, by semaphore: they are free again, or its next waiter's. For a
   * gate: how often the agent was inside, or its turn.
   */
  readonly permits: readonly RestoredPermits[];
  /** Its waits that were cancelled. */
  readonly ticketsWithdrawn: number;
  /** Chains of waiters that it had detached and not fully walked. */
  readonly chainsFinished: number;
  /** Owned locks that it held. Their next owners get an `OwnerDiedError`. */
  readonly locksOrphaned: readonly LostLock[];
  /**
   * Bounded buffers that it was writing to or reading from. The value that it was writing is not in the buffer; the
   * value that it was reading still is.
   */
  readonly buffersInterrupted: readonly LostLock[];
  /** Memory blocks that it had allocated and not yet published as a primitive, or not yet freed. */
  readonly blocksFreed: number;
  /**
   * Primitives that it owned or waited for, and whose package the recovering thread has not loaded. Threads that wait
   * there have it: they are woken and finish the recovery, and so does the next thread that has to wait there, is
   * refused there, or creates or opens such a primitive. The other lists of this report lack these primitives. No
   * further report follows, unless a thread finishes by `reclaim` or `reclaimDead`.
   */
  readonly pending: readonly LostLock[];
  /** Recoveries that it had begun itself and not finished. */
  readonly finished: readonly ReclaimReport[];
}

export interface RestoredPermits {
  readonly name: string;
  readonly address: number;
  readonly permits: number;
}

export interface LostLock {
  readonly name: string;
  readonly address: number;
}
