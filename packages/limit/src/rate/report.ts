// The report of a rate limiter, which `inspect` returns.

import type { Semaphore, Waiter } from '@sluice/core';
import { withoutPermits } from '@sluice/core/report';
import type { Bucket } from './bucket.ts';

export interface RateLimiterReport {
  readonly kind: 'rate-limiter';
  readonly name: string;
  readonly state: 'open' | 'closed';
  readonly permits: number;
  /** In ms. */
  readonly interval: number;
  readonly burst: number;
  /** The number of permits that `tryAcquire` could take now. */
  readonly available: number;
  /**
   * The agent whose call is at the head of the line. It sleeps until its permits are available. Absent if no call
   * waits.
   */
  readonly head?: number;
  /** How messages name it, such as "agent 3 (thread 5, resizer)". Absent if there is none. */
  readonly headTitle?: string;
  /** The waiters behind the head, in the order of the line. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
  /** The number of abandoned places that are still in line. They delay no call. */
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
    ...(head === undefined ? {} : { head: head.agent, headTitle: head.title }),
    waiters: waiters.map(withoutPermits),
    abandoned,
  };
}
