// The report of a cache, which `inspect` returns.

import type { KeyTable, Locks } from '@sluice/named/internal';
import { keyOf, type CacheKey } from './key.ts';
import type { StoreCounts, CacheStore } from './store.ts';

/** The counters of a cache, and what it holds now. */
export interface CacheStatistics extends StoreCounts {
  /** The number of values, including those that are past their time and were not removed yet. */
  readonly entries: number;
  /** The bytes that the entries take. At most `maxBytes`. */
  readonly bytes: number;
}

/** A key that an agent computes at this moment. */
export interface ComputingReport {
  readonly key: CacheKey;
  /** The id of the agent that computes, or to which the key is being handed off. 0: none. */
  readonly owner: number;
  /** The number of threads and blocking calls that wait for the value. */
  readonly waiting: number;
}

export interface SharedCacheReport extends CacheStatistics {
  readonly kind: 'cache';
  readonly name: string;
  readonly codec: string;
  /** The maximum of `bytes`. */
  readonly maxBytes: number;
  /** The time in ms for which a value is fresh; `undefined`: for ever. */
  readonly ttl: number | undefined;
  readonly staleFor: number;
  readonly computing: readonly ComputingReport[];
}

/** For the owner of the table's mutex. */
export function statisticsOf(store: CacheStore): CacheStatistics {
  const { counts, entries, bytes } = store;
  return { ...counts, entries, bytes };
}

export function reportCache(keys: KeyTable, locks: Locks, store: CacheStore, codec: string): SharedCacheReport {
  return keys.under(() => ({
    kind: 'cache',
    name: keys.name,
    codec,
    maxBytes: store.maxBytes,
    ttl: store.ttl === 0 ? undefined : store.ttl,
    staleFor: store.staleFor,
    ...statisticsOf(store),
    // An agent that died may have left locks that are not used.
    computing: [...keys.table.busy()]
      .map((entry) => {
        const { owner, waiters } = locks.open(entry).mutex.inspect();
        return { key: keyOf(keys.table.keyOf(entry)), owner, waiting: waiters.length };
      })
      .filter(({ owner, waiting }) => owner !== 0 || waiting > 0),
  }));
}
