// Reports of a semaphore's holders and waiters, read from the records of all agents.

import { readName } from '../memory/name.ts';
import type { AgentContext } from '../agent/agent-context.ts';
import type { Parking } from '../agent/parking.ts';
import { AgentTitles } from './agent-titles.ts';
import type { WaiterRecord } from './claims.ts';
import { allAbandoned, allHoldings, allWaiting, type HoldingRecord, type Reader } from './holders-and-waiters.ts';
import { BLOCK_TAG, LIMIT } from '../kernel/layout.ts';
import type { LineAddress } from '../kernel/addresses.ts';

export interface Holder {
  readonly agent: number;
  /** How messages name the agent, such as "agent 3 (thread 5, resizer)". */
  readonly title: string;
  readonly permits: number;
  /** When the agent was last admitted after a wait, in ms since 1970; absent if it did not wait for these permits. */
  readonly since?: number;
  /** ms since then, on this machine's wall clock. Absent if `since` is. */
  readonly age?: number;
}

export interface Waiter {
  readonly agent: number;
  /** How messages name the agent, such as "agent 3 (thread 5, resizer)". */
  readonly title: string;
  readonly permits: number;
  readonly kind: 'blocking' | 'async';
  /** When the wait began, in ms since 1970. */
  readonly since: number;
  /** ms since then, on this machine's wall clock. */
  readonly age: number;
}

/** The part of an agent that describes holders and waiters. */
type Describer = Pick<Reader, 'words'> & { readonly parking: Pick<Parking, 'date'> };

/** The waiters of a line. */
export interface LineReport {
  /** The waiters, in the order in which they will be served. */
  readonly waiters: readonly Waiter[];
  /** The number of cancelled waits whose places are still in line. They delay no other waiter. */
  readonly abandoned: number;
}

export interface SemaphoreReport extends LineReport {
  readonly kind: 'semaphore';
  readonly name: string;
  readonly state: 'open' | 'closed';
  readonly available: number;
  readonly max: number;
  /** The agents that hold permits; empty with `recovery: false`. */
  readonly holders: readonly Holder[];
}

export function reportSemaphore(context: AgentContext, line: LineAddress, tag: number): SemaphoreReport {
  const { words, kernel } = context;
  const limit = words.get32(line + LIMIT);
  const open = words.load32(line + BLOCK_TAG) === tag;
  return {
    kind: 'semaphore',
    name: readName(words, line),
    state: open ? 'open' : 'closed',
    available: open ? Math.max(0, kernel.balance(line)) : 0,
    max: limit === 0 ? Infinity : limit,
    holders: holdersOnce(context, [...allHoldings(context)].filter(isAt(line, tag))),
    ...reportLine(context, line, tag),
  };
}

/**
 * Adds up each agent's permits: those in its ledger, and those granted to a waiter that has not read its verdict yet.
 */
export function holdersOnce({ words, parking }: Describer, holdings: readonly HoldingRecord[]): Holder[] {
  const all = new Map<number, Pick<HoldingRecord, 'agent' | 'permits' | 'since'>>();
  for (const { agent, permits, since } of holdings) {
    const known = all.get(agent);
    all.set(agent, { agent, permits: permits + (known?.permits ?? 0), since: Math.max(since, known?.since ?? 0) });
  }
  const titles = new AgentTitles(words);
  const now = parking.date();
  return [...all.values()].map(({ agent, permits, since }) => ({
    agent,
    title: titles.of(agent),
    permits,
    ...(since > 0 && { since, age: ageOf(since, now) }),
  }));
}

/** Returns waiters as reports show them, in the same order. */
export function describeWaiters({ words, parking }: Describer, waiters: readonly WaiterRecord[]): Waiter[] {
  const titles = new AgentTitles(words);
  const now = parking.date();
  return waiters.map(({ agent, permits, kind, since }) => ({
    agent,
    title: titles.of(agent),
    permits,
    kind,
    since,
    age: ageOf(since, now),
  }));
}

/** Returns the ms between two times of the wall clock, which may have been put back. */
export function ageOf(since: number, now: number): number {
  return Math.max(0, now - since);
}

/** Returns a waiter of a primitive whose waits are all for one thing. */
export function withoutPermits({ permits: _, ...waiter }: Waiter): Omit<Waiter, 'permits'> {
  return waiter;
}

/** Returns the fields that `console.log` shows for a semaphore. */
export function permitFields({ state, available, max, waiters }: SemaphoreReport): Readonly<Record<string, unknown>> {
  return {
    available,
    max: max === Infinity ? undefined : max,
    waiting: waiters.length,
    closed: state === 'closed' ? true : undefined,
  };
}

export function reportLine(context: AgentContext, line: LineAddress, tag: number): LineReport {
  return {
    waiters: describeWaiters(
      context,
      [...allWaiting(context)].filter(isAt(line, tag)).sort((a, b) => Number(BigInt.asIntN(64, a.ticket - b.ticket))),
    ),
    abandoned: [...allAbandoned(context.words)].filter(isAt(line, tag)).length,
  };
}

function isAt(line: LineAddress, tag: number) {
  return (record: { readonly address: number; readonly tag: number }): boolean =>
    record.address === line && record.tag === tag;
}

/** Returns the number of live waiters: those without a verdict. */
export function countWaiters(context: AgentContext, line: LineAddress, tag: number): number {
  if (context.kernel.balance(line) >= 0) return 0;
  return [...allWaiting(context)].filter((waiting) => waiting.address === line && waiting.tag === tag).length;
}
