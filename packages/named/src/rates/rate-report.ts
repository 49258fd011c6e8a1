// The report of a keyed rate limiter, which `inspect` returns.

import type { MutexReport } from '@sluice/mutex';
import type { KeyRates } from './key-rates.ts';
import type { Locks } from '../table/locks.ts';

/** A key whose burst is not full, that is blocked, or for which calls wait. */
export interface KeyRateReport {
  readonly key: string;
  /** The number of permits that `tryAcquire` could take now. */
  readonly remaining: number;
  /** The ms for which the key is still blocked. */
  readonly blockedFor: number;
  /** The agent whose call is at the head of the line. 0: no call waits. */
  readonly head: number;
  /** The waiters behind the head, in the order of the line. */
  readonly waiters: MutexReport['waiters'];
}

export interface KeyedRateLimiterReport {
  readonly kind: 'keyed-rate-limiter';
  readonly name: string;
  readonly permits: number;
  /** In ms. */
  readonly interval: number;
  readonly burst: number;
  readonly keys: readonly KeyRateReport[];
}

export function reportRates(rates: KeyRates, locks: Locks): KeyedRateLimiterReport {
  const { keys } = rates;
  const { permits, interval, burst } = rates.rate;
  const reports = keys.under(() => {
    // The others are at rest: they say nothing.
    keys.table.sweep();
    return [...keys.table.entries()].map((entry): KeyRateReport => {
      const key = keys.table.keyOf(entry);
      const { owner, waiters } = locks.open(entry).mutex.inspect();
      return { key, ...rates.stateOf(rates.foundAt(key, entry)), head: owner, waiters };
    });
  });
  return { kind: 'keyed-rate-limiter', name: keys.name, permits, interval, burst, keys: reports };
}
