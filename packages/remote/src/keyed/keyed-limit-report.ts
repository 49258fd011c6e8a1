// The report of a remote keyed limit.

import type { RemoteReport } from '../report/report.ts';

/** A key of which calls run or wait. */
export interface RemoteKeyLimitReport extends Pick<RemoteReport, 'holders' | 'waiters'> {
  readonly key: string;
}

export interface RemoteKeyedLimitReport {
  readonly kind: 'keyed-limit';
  readonly name: string;
  readonly concurrency: number;
  /** Absent without a maximum. */
  readonly total?: number;
  /** The number of running calls, of all keys and processes. */
  readonly running: number;
  /** The number of places in line for a slot of all keys. */
  readonly waiting: number;
  /** Each holder and each waiter is a place of a session. A process may have further calls that wait for its places. */
  readonly keys: readonly RemoteKeyLimitReport[];
}
