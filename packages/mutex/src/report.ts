// The report that `inspect` returns for a mutex.

import type { Waiter } from '@sluice/core';
import { CONSISTENT, HEALTH, INHERITED, ORPHANED } from '@sluice/core/format';
import { readName, type BlockRef } from '@sluice/core/internal';
import { ownerOrReceiver, withoutPermits, titleOfAgent, type LineReport } from '@sluice/core/report';
import { DEPTH } from './kernel/layout.ts';

/** The state of a lock after an owner's death; 'consistent' if no owner died or the data was repaired. */
export type Consistency = 'consistent' | 'orphaned' | 'inherited' | 'unrecoverable';

export interface MutexReport {
  readonly kind: 'mutex';
  readonly name: string;
  /** The id of the agent that owns the mutex or is about to receive it; 0 if there is none. */
  readonly owner: number;
  /** The owner's title in messages, such as "agent 3 (thread 5, resizer)". Absent if there is no owner. */
  readonly ownerTitle?: string;
  /** The number of unlocks until the mutex is free; 0 if it is free. At most 1 for a plain mutex. */
  readonly depth: number;
  readonly consistency: Consistency;
  /** The waiters, in the order in which they will be served. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
  /** The number of cancelled waits whose places are still in line. They delay no other waiter. */
  readonly abandoned: number;
}

const CONSISTENCIES = new Map<number, Consistency>([
  [CONSISTENT, 'consistent'],
  [ORPHANED, 'orphaned'],
  [INHERITED, 'inherited'],
]);

export function reportMutex(
  { context: { words }, address }: BlockRef,
  { waiters, abandoned }: LineReport,
): MutexReport {
  const owner = ownerOrReceiver(words, address);
  return {
    kind: 'mutex',
    name: readName(words, address),
    owner,
    ...(owner !== 0 && { ownerTitle: titleOfAgent(words, owner) }),
    depth: owner === 0 ? 0 : 1 + words.get32(address + DEPTH),
    consistency: CONSISTENCIES.get(words.load32(address + HEALTH)) ?? 'unrecoverable',
    waiters: waiters.map(withoutPermits),
    abandoned,
  };
}
