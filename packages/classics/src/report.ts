// The reports of these locks, which `inspect` returns.

import type { Waiter } from '@sluice/core';
import {
  CONSISTENT,
  HEALTH,
  INHERITED,
  ORPHANED,
  readName,
  type LineReport,
  type BlockRef,
} from '@sluice/core/internal';

/** Whether an owner died, and what has happened since. */
export type Consistency = 'consistent' | 'orphaned' | 'inherited' | 'unrecoverable';

export interface LockReport<Kind extends string> {
  readonly kind: Kind;
  readonly name: string;
  /** The agent that owns the lock, or to which it is being handed. 0: none. */
  readonly owner: number;
  readonly consistency: Consistency;
  /** The waiters in the order of arrival. Whether the first is served first depends on the lock. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
  /** The number of cancelled waiters whose places are still in the queue. They delay no other waiter. */
  readonly abandoned: number;
}

const CONSISTENCIES = new Map<number, Consistency>([
  [CONSISTENT, 'consistent'],
  [ORPHANED, 'orphaned'],
  [INHERITED, 'inherited'],
]);

export function reportLock<Kind extends string>(
  kind: Kind,
  { context: { words }, address }: BlockRef,
  owner: number,
  { waiters, abandoned }: LineReport,
): LockReport<Kind> {
  return {
    kind,
    name: readName(words, address),
    owner,
    consistency: CONSISTENCIES.get(words.load32(address + HEALTH)) ?? 'unrecoverable',
    waiters: waiters
      .map(({ agent, kind: how, since }) => ({ agent, kind: how, since }))
      .sort((a, b) => a.since - b.since),
    abandoned,
  };
}
