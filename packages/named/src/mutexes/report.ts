// The report of a keyed mutex, which `inspect` returns.

import type { Consistency, MutexReport } from '@sluice/mutex';
import type { Locks } from '../table/locks.ts';

/** A key that is in use. */
export interface KeyReport {
  readonly key: string;
  /** The id of the agent that owns the key, or to which it is being handed off. 0: none. */
  readonly owner: number;
  /** How messages name it, such as "agent 3 (thread 5, resizer)". Absent if there is none. */
  readonly ownerTitle?: string;
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
      const { owner, ownerTitle, consistency, waiters } = locks.open(entry).mutex.inspect();
      return {
        key: table.keyOf(entry),
        owner,
        ...(ownerTitle !== undefined && { ownerTitle }),
        consistency,
        waiters,
      };
    }),
  );
  return { kind: 'keyed-mutex', name, keys };
}
