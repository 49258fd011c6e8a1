// The capabilities of a semaphore. They select its tests.

export interface SemaphoreSuiteOptions {
  /** Whether permits go to waiters in FIFO order. Default: true. */
  readonly fifo?: boolean;
  /**
   * Whether a caller may take a free permit before the waiters. Default: the opposite of `fifo`. Both are false for a
   * semaphore that loses the order only between simultaneous arrivals. In these tests no arrivals are simultaneous, so
   * it must keep the order.
   */
  readonly barging?: boolean;
  /** Whether a caller may take a permit that was granted to a waiter that has not looked yet. Default: `barging`. */
  readonly overtakes?: boolean;
  /**
   * Whether an agent can wait for several permits at once. If false, such a wait must throw `UnsupportedError`.
   * Default: true.
   */
  readonly weighted?: boolean;
  /** Whether `tryAcquire` without a timeout can take several permits, all or none. Default: `weighted`. */
  readonly triesSeveral?: boolean;
}

export interface Traits {
  /**
   * Whether the semaphore is on a server. Then no call blocks, and a grant reaches its waiter with the answer to the
   * call that caused it.
   */
  readonly remote: boolean;
  readonly barging: boolean;
  readonly overtakes: boolean;
  readonly weighted: boolean;
  readonly triesSeveral: boolean;
  /** Whether a wait for several permits gathers them at the head of the line. */
  readonly gathers: boolean;
  /** Returns the number of permits that a wait of a test asks for: `permits`, or 1 if the semaphore is not weighted. */
  readonly size: (permits: number) => number;
}

export function traitsOf(options: SemaphoreSuiteOptions, remote = false): Traits {
  const { fifo = true, barging = !fifo, overtakes = barging, weighted = true, triesSeveral = weighted } = options;
  return {
    remote,
    barging,
    overtakes,
    weighted,
    triesSeveral,
    gathers: weighted && !barging,
    size: (permits) => (weighted ? permits : 1),
  };
}

/** Takes all permits: at once if the semaphore allows it, otherwise one by one. */
export function takeAll(sem: { acquire(permits?: number): void }, permits: number, { weighted }: Traits): void {
  if (weighted) sem.acquire(permits);
  else for (let taken = 0; taken < permits; taken++) sem.acquire();
}
