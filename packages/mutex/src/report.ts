// What `inspect` tells of a mutex.

import type { Waiter } from '@sluice/core';
import {
  CONSISTENT,
  DEPTH,
  HEALTH,
  INHERITED,
  ORPHANED,
  ownerOrReceiver,
  readName,
  type LineReport,
  type Place,
} from '@sluice/core/internal';

/** What is known of an owner that died. */
export type Consistency = 'consistent' | 'orphaned' | 'inherited' | 'unrecoverable';

export interface MutexReport {
  readonly kind: 'mutex';
  readonly name: string;
  /** The agent that owns it, or that it is on its way to; 0 = none. */
  readonly owner: number;
  /** How often its owner locked it and did not unlock it yet; a plain mutex: 1 while it is owned. */
  readonly depth: number;
  readonly consistency: Consistency;
  /** In the order in which they will be served. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
  /** Waiters that gave up and whose places are still in line; they delay nobody. */
  readonly abandoned: number;
}

const CONSISTENCIES = new Map<number, Consistency>([
  [CONSISTENT, 'consistent'],
  [ORPHANED, 'orphaned'],
  [INHERITED, 'inherited'],
]);

export function reportMutex({ context: { words }, address }: Place, { waiters, abandoned }: LineReport): MutexReport {
  const owner = ownerOrReceiver(words, address);
  return {
    kind: 'mutex',
    name: readName(words, address),
    owner,
    depth: owner === 0 ? 0 : 1 + words.get32(address + DEPTH),
    consistency: CONSISTENCIES.get(words.load32(address + HEALTH)) ?? 'unrecoverable',
    waiters: waiters.map(({ agent, kind, since }) => ({ agent, kind, since })),
    abandoned,
  };
}
