// The positions of locks over a server: the order in which calls that take several locks take them.

import type { WaitOptions } from '@sluice/core';
import type { RemoteGuard } from './guard.ts';

/** Where a lock is, and how it is taken. */
export interface LockPosition {
  /** The space that made the lock. */
  readonly space: object;
  /** The name of its line on the server: calls take locks in the order of these names. */
  readonly key: string;
  readonly title: string;
  /** The permits that the lock takes, and those that exist. */
  readonly permits: number;
  readonly most: number;
  /** Whether the permits of several locks of one line add up. Otherwise the lock with the most of them counts. */
  readonly addsUp: boolean;
  readonly take: (permits: number, options: WaitOptions) => Promise<RemoteGuard>;
}

const positions = new WeakMap<object, LockPosition>();

/** Records the position of a lock. */
export function place(lock: object, position: LockPosition): void {
  positions.set(lock, position);
}

export function positionOf(lock: unknown): LockPosition | undefined {
  return typeof lock === 'object' && lock !== null ? positions.get(lock) : undefined;
}
