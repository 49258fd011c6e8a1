// The reports of these locks, which `inspect` returns.

import type { Waiter } from '@sluice/core';
import { CONSISTENT, HEALTH, INHERITED, ORPHANED } from '@sluice/core/format';
import { readName, type BlockRef } from '@sluice/core/internal';
import { titleOfAgent, withoutPermits, type LineReport } from '@sluice/core/report';

/** Whether an owner died, and what has happened since. */
export type Consistency = 'consistent' | 'orphaned' | 'inherited' | 'unrecoverable';

export interface LockReport<Kind extends string> {
  readonly kind: Kind;
  readonly name: string;
  /** The agent that owns the lock, or to which it is being handed. 0: none. */
  readonly owner: number;
  /** How messages name it, such as "agent 3 (thread 5, resizer)". Absent if there is none. */
  readonly ownerTitle?: string;
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
    ...(owner !== 0 && { ownerTitle: titleOfAgent(words, owner) }),
    consistency: CONSISTENCIES.get(words.load32(address + HEALTH)) ?? 'unrecoverable',
    waiters: waiters.map(withoutPermits).sort((a, b) => a.since - b.since),
    abandoned,
  };
}
