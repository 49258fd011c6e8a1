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
  /** The writers and readers that wait, in the order in which they will be served. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
  /** The number of cancelled waits whose places are still in line. They delay no other waiter. */
  readonly abandoned: number;
}

export function reportSeqLock(
  { name, owner, waiters, abandoned }: MutexReport,
  byteLength: number,
  version: number,
  closed: boolean,
): SeqLockReport {
  return { kind: 'seq-lock', name, byteLength, version, closed, owner, waiters, abandoned };
}
