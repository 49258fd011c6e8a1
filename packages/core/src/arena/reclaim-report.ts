// What is told of a recovery.

/** What a dead agent left, and what became of it. */
export interface ReclaimReport {
  readonly agent: number;
  /**
   * Permits that it held or had been granted, by semaphore: they are free again, or its next waiter's. Of a capacitor: how often it
   * was inside; of a turnstile: its turn.
   */
  readonly permits: readonly RestoredPermits[];
  /** Waits of it that were given up. */
  readonly ticketsWithdrawn: number;
  /** Chains of waiters that it had detached and not walked to the end. */
  readonly chainsFinished: number;
  /** Owned locks that it held: their next owners get an `OwnerDiedError`. */
  readonly locksOrphaned: readonly LostLock[];
  /**
   * Bounded buffers in which it was writing or reading: the value that it was writing is not in there, the one that it was reading is
   * there still.
   */
  readonly buffersInterrupted: readonly LostLock[];
  /** Blocks of memory that it had allocated and not yet made a primitive, or not yet freed. */
  readonly blocksFreed: number;
  /** Recoveries that it had begun itself and not brought to their end. */
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
