// What `inspect` reports for a rate limiter.

import type { Semaphore, Waiter } from '@sluice/core';
import type { Bucket } from './bucket.ts';

export interface RateLimiterReport {
  readonly kind: 'rate-limiter';
  readonly name: string;
  readonly state: 'open' | 'closed';
  readonly permits: number;
  /** In ms. */
  readonly interval: number;
  readonly burst: number;
  /** The permits that `tryAcquire` could take now. */
  readonly available: number;
  /**
   * The agent whose call is at the head of the line: it sleeps until its permits are available. Absent if no call
   * waits.
   */
  readonly head?: number;
  /** The waiters behind the head, in order. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
  /** Places in line that were given up and are still there; they delay no call. */
  readonly abandoned: number;
}

export function reportRate(
  line: Semaphore,
  { rate: { permits, interval, burst }, inLine, level }: Bucket,
): RateLimiterReport {
  const {
    name,
    state,
    holders: [head],
    waiters,
    abandoned,
  } = line.inspect();
  return {
    kind: 'rate-limiter',
    name,
    state,
    permits,
    interval,
    burst,
    available: state === 'open' && inLine === 0 ? level : 0,
    ...(head === undefined ? {} : { head: head.agent }),
    waiters: waiters.map(({ agent, kind, since }) => ({ agent, kind, since })),
    abandoned,
  };
}
