// What a semaphore can do, and so what is asked of it.

export interface SemaphoreSuiteOptions {
  /** Whether permits go to waiters in the order in which they came. Default true. */
  readonly fifo?: boolean;
  /**
   * Whether a caller may take a free permit before the waiters. Default: not `fifo`. False of one that is not `fifo`
   * only where agents come at the same moment: here they never do, so it must keep the order.
   */
  readonly barging?: boolean;
  /** Whether a caller may take what was given to a waiter that has not looked yet. Default: as `barging`. */
  readonly overtakes?: boolean;
  /** Whether several permits can be waited for at once; otherwise that must be an `UnsupportedError`. Default true. */
  readonly weighted?: boolean;
  /** Whether `tryAcquire` without a timeout takes several, all or none. Default: as `weighted`. */
  readonly triesSeveral?: boolean;
}

export interface Traits {
  /**
   * Whether it is on a server: no call blocks, and a grant reaches its waiter with the answer to the call that made it.
   */
  readonly remote: boolean;
  readonly barging: boolean;
  readonly overtakes: boolean;
  readonly weighted: boolean;
  readonly triesSeveral: boolean;
  /** Whether a big wait at the head of the line gathers its permits. */
  readonly gathers: boolean;
  /** What the small and the big wait of a test want: of one that is not weighted one each. */
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

/** At once where that can be, or one by one. */
export function takeAll(sem: { acquire(permits?: number): void }, permits: number, { weighted }: Traits): void {
  if (weighted) sem.acquire(permits);
  else for (let taken = 0; taken < permits; taken++) sem.acquire();
}
