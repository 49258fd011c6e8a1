// The fields of `inspect` for a read-write lock.

import type { Waiter } from '@sluice/core';
import { CONSISTENT, HEALTH, INHERITED, ORPHANED } from '@sluice/core/format';
import { readName, type BlockRef } from '@sluice/core/internal';
import { allHoldings, withoutPermits, AgentTitles, type LineReport } from '@sluice/core/report';
import type { Seat } from './seat.ts';

export interface RwLockReport {
  readonly kind: 'rw-lock';
  readonly name: string;
  /** The id of the agent that holds the write lock, or 0 if there is none. */
  readonly writer: number;
  /** How messages name it, such as "agent 3 (thread 5, resizer)". Absent if there is none. */
  readonly writerTitle?: string;
  /** The agents that hold read locks, and the number that each holds. */
  readonly readers: readonly { readonly agent: number; readonly title: string; readonly times: number }[];
  /** The state of the lock after a writer's death; 'consistent' if no writer died or the data was repaired. */
  readonly consistency: 'consistent' | 'orphaned' | 'inherited' | 'unrecoverable';
  /** The waiting readers, in the order in which they arrived. */
  readonly waitingReaders: readonly Omit<Waiter, 'permits'>[];
  /** The id of the agent that reads upgradeably, or 0 if there is none. Only for a lock with upgradeable readers. */
  readonly upgradeable?: number;
  /** How messages name it, such as "agent 3 (thread 5, resizer)". Absent if there is none. */
  readonly upgradeableTitle?: string;
  /**
   * The waiting writers, in the order in which they will be served. For a lock with upgradeable readers, this includes
   * agents that wait to read upgradeably.
   */
  readonly waitingWriters: readonly Omit<Waiter, 'permits'>[];
}

const CONSISTENCIES = new Map<number, RwLockReport['consistency']>([
  [CONSISTENT, 'consistent'],
  [ORPHANED, 'orphaned'],
  [INHERITED, 'inherited'],
]);

export function reportRwLock(
  readersLine: BlockRef,
  writersLine: BlockRef,
  readers: LineReport,
  writers: LineReport,
  seat?: Seat,
): RwLockReport {
  const { context } = readersLine;
  const { words } = context;
  const held = [...allHoldings(context)].filter(({ tag }) => tag === readersLine.tag);
  const waiting = ({ waiters }: LineReport): RwLockReport['waitingReaders'] => waiters.map(withoutPermits);
  const writer = held.find(({ address }) => address === writersLine.address)?.agent ?? 0;
  const seated = held.find(({ address }) => address === seat?.ref.address)?.agent ?? 0;
  const titles = new AgentTitles(words);
  const upgradeable = seated === writer ? 0 : seated;
  return {
    kind: 'rw-lock',
    name: readName(words, readersLine.address),
    writer,
    ...(writer !== 0 && { writerTitle: titles.of(writer) }),
    readers: timesByAgent(held.filter(({ address }) => address === readersLine.address)).map(([agent, times]) => ({
      agent,
      title: titles.of(agent),
      times,
    })),
    consistency: CONSISTENCIES.get(words.load32(readersLine.address + HEALTH)) ?? 'unrecoverable',
    waitingReaders: waiting(readers),
    ...(seat === undefined ? {} : { upgradeable }),
    ...(seat !== undefined && upgradeable !== 0 && { upgradeableTitle: titles.of(upgradeable) }),
    waitingWriters: [...waiting(writers), ...(seat === undefined ? [] : waiting(seat.report()))],
  };
}

/**
 * Adds up each agent's read locks: those in its ledger, and those granted to a waiter that has not read its verdict
 * yet.
 */
function timesByAgent(
  held: readonly { readonly agent: number; readonly permits: number }[],
): (readonly [agent: number, times: number])[] {
  const times = new Map<number, number>();
  for (const { agent, permits } of held) times.set(agent, (times.get(agent) ?? 0) + permits);
  return [...times];
}
