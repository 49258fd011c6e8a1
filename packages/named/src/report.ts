// The report of a keyed mutex, which `inspect` returns.

import type { Consistency, MutexReport } from '@sluice/mutex';
import type { Locks } from './locks.ts';

/** A key that is in use. */
export interface KeyReport {
  readonly key: string;
  /** The id of the agent that owns the key, or to which it is being handed off. 0: none. */
  readonly owner: number;
  /** The state after an owner's death. */
  readonly consistency: Consistency;
  /** The waiters, in the order in which they will be served. */
  readonly waiters: MutexReport['waiters'];
}

export interface KeyedMutexReport {
  readonly kind: 'keyed-mutex';
  readonly name: string;
  readonly keys: readonly KeyReport[];
}

export function reportKeys(locks: Locks): KeyedMutexReport {
  const { table, name } = locks.keys;
  const keys = locks.keys.under(() =>
    [...table.busy()].map((entry) => {
      const { owner, consistency, waiters } = locks.open(entry).mutex.inspect();
      return { key: table.keyOf(entry), owner, consistency, waiters };
    }),
  );
  return { kind: 'keyed-mutex', name, keys };
}
