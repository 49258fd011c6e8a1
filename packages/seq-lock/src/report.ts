// The fields of `inspect` for a seq-lock.

import type { Waiter } from '@sluice/core';
import type { MutexReport } from '@sluice/mutex/internal';

export interface SeqLockReport {
  readonly kind: 'seq-lock';
  readonly name: string;
  readonly byteLength: number;
  /** The number of writes so far, modulo 2^31. */
  readonly version: number;
  readonly closed: boolean;
  /** The id of the agent that writes, or that reads under the writers' mutex. 0 if there is none. */
  readonly owner: number;
  /** How messages name it, such as "agent 3 (thread 5, resizer)". Absent if there is none. */
  readonly ownerTitle?: string;
  /** The writers and readers that wait, in the order in which they will be served. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
  /** The number of cancelled waits whose places are still in line. They delay no other waiter. */
  readonly abandoned: number;
}

export function reportSeqLock(
  { name, owner, ownerTitle, waiters, abandoned }: MutexReport,
  byteLength: number,
  version: number,
  closed: boolean,
): SeqLockReport {
  return {
    kind: 'seq-lock',
    name,
    byteLength,
    version,
    closed,
    owner,
    ...(ownerTitle !== undefined && { ownerTitle }),
    waiters,
    abandoned,
  };
}
