// The report of a recovery.

/** The operations and resources that a dead agent left, and how the recovery handled them. */
export interface ReclaimReport {
  readonly agent: number;
  /**
   * Permits that the agent held or had been granted, by semaphore. They are free again, or the next waiter has them.
   * For a gate: how many times the agent was inside, or its turn.
   */
  readonly permits: readonly RestoredPermits[];
  /** The number of its waits that were cancelled. */
  readonly ticketsWithdrawn: number;
  /** The number of chains of waiters that it had detached and not fully walked. */
  readonly chainsFinished: number;
  /** Owned locks that it held. Their next owners get an `OwnerDiedError`. */
  readonly locksOrphaned: readonly LostLock[];
  /**
   * Bounded buffers that it was writing to or reading from. A value that it was writing is not in the buffer. A value
   * that it was reading is still there.
   */
  readonly buffersInterrupted: readonly LostLock[];
  /** The number of memory blocks that it had allocated and not yet published as a primitive, or not yet freed. */
  readonly blocksFreed: number;
  /**
   * Primitives that it owned or waited for, and whose packages the recovering thread has not loaded.
   *
   * Threads that wait there have loaded them: they are woken and finish the recovery. If no thread waits, the recovery
   * is finished by the next thread that opens, creates or fails to enter such a primitive. The other lists of this
   * report omit these primitives. No further report follows, unless a thread finishes the recovery by `reclaim` or
   * `reclaimDead`.
   */
  readonly pending: readonly LostLock[];
  /** Recoveries that the agent itself had begun and not finished. */
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
