// The report of a rate limiter, from the server's answers.

import { TICKS_PER_MS, type RemoteRate } from '../line/rate.ts';
import type { Participant } from './report.ts';

export interface RemoteRateLimiterReport {
  readonly kind: 'rate-limiter';
  readonly name: string;
  readonly state: 'open' | 'closed';
  readonly permits: number;
  /** In ms. */
  readonly interval: number;
  readonly burst: number;
  /** The number of permits that `tryAcquire` could take now. 0 while a call waits. */
  readonly available: number;
  /** The waiting calls of all sessions, in the order in which they will be served, with the permits that they want. */
  readonly waiters: readonly Participant[];
}

/** The server's answer to `gauge`. */
export interface Gauge {
  readonly isClosed: boolean;
  /** Ticks until the bucket is full. */
  readonly ahead: number;
  /** Ticks until the end of the block of a key. */
  readonly blocked: number;
  readonly waiters: readonly Participant[];
}

export function readGauge(reply: readonly string[]): Gauge {
  const [, , , ahead, closed, blocked] = reply;
  const waiters: Participant[] = [];
  for (let at = 6; at + 2 < reply.length; at += 3) {
    waiters.push({ session: reply[at] ?? '', label: reply[at + 1] ?? '', permits: Number(reply[at + 2]) });
  }
  return { isClosed: closed === '1', ahead: Number(ahead), blocked: Number(blocked), waiters };
}

export function reportRate(name: string, rate: RemoteRate, gauge: Gauge): RemoteRateLimiterReport {
  const { permits, interval, burst, cost } = rate;
  const level = Math.max(0, Math.floor((burst * cost - gauge.ahead) / cost));
  return {
    kind: 'rate-limiter',
    name,
    state: gauge.isClosed ? 'closed' : 'open',
    permits,
    interval,
    burst,
    available: gauge.isClosed || gauge.waiters.length > 0 ? 0 : level,
    waiters: gauge.waiters,
  };
}

/**
 * Returns the ms until `weight` permits are available, if each waiting call takes one permit and no other call comes.
 */
export function untilFree({ burst, cost }: RemoteRate, { ahead, blocked, waiters }: Gauge, weight: number): number {
  const ticks = Math.max(ahead + (weight + waiters.length) * cost - burst * cost, blocked);
  return Math.max(waiters.length > 0 ? 1 : 0, Math.ceil(ticks / TICKS_PER_MS));
}
