// Who holds a semaphore's permits and who waits for them, read from the records of all agents.

import { readName } from '../arena/name.ts';
import { records } from '../arena/pool.ts';
import type { Seat } from '../arena/seat.ts';
import {
  AT,
  BLOCK_TAG,
  COUNT,
  ENTRY_HELD,
  ENTRY_SEM,
  ENTRY_SINCE,
  ENTRY_STRIDE,
  ENTRY_TAG,
  GATE,
  HEADER_ELEMENT_POOL,
  HEADER_LEDGER_POOL,
  LEDGER_STRIDE,
  LIMIT,
  MODE,
  MODE_ASYNC,
  SEM,
  SINCE,
  TAG,
} from '../kernel/layout.ts';
import { ABANDONED, GRANTED, LINKED, PARKED, QUEUED } from '../kernel/states.ts';

export interface Holder {
  readonly agent: number;
  readonly permits: number;
  /** ms since 1970, when it was last admitted after a wait; absent when it never had to wait for these. */
  readonly since?: number;
}

export interface Waiter {
  readonly agent: number;
  readonly permits: number;
  readonly kind: 'blocking' | 'async';
  /** ms since 1970, when the wait began. */
  readonly since: number;
}

export interface SemaphoreReport {
  readonly kind: 'semaphore';
  readonly name: string;
  readonly state: 'open' | 'closed';
  readonly available: number;
  readonly max: number;
  /** Agents with permits taken and not given back; empty with `recovery: false`. */
  readonly holders: readonly Holder[];
  /** In the order in which they will be served. */
  readonly waiters: readonly Waiter[];
  /** Waiters that gave up and whose places are still in line; they delay nobody. */
  readonly abandoned: number;
}

export function reportSemaphore(seat: Seat, sem: number, tag: number): SemaphoreReport {
  const { words, kernel } = seat;
  const limit = words.get32(sem + LIMIT);
  const open = words.load32(sem + BLOCK_TAG) === tag;
  return {
    kind: 'semaphore',
    name: readName(words, sem),
    state: open ? 'open' : 'closed',
    available: open ? Math.max(0, kernel.balance(sem)) : 0,
    max: limit === 0 ? Infinity : limit,
    holders: holders(seat, sem, tag),
    waiters: elements(seat, sem, tag)
      .filter(({ gate }) => isWaiting(gate))
      .sort((a, b) => Number(BigInt.asIntN(64, a.ticket - b.ticket)))
      .map(({ agent, permits, kind, since }) => ({ agent, permits, kind, since })),
    abandoned: elements(seat, sem, tag).filter(({ gate }) => gate === ABANDONED).length,
  };
}

/** Live waiters: those that still wait for a verdict. */
export function countWaiters(seat: Seat, sem: number, tag: number): number {
  if (seat.kernel.balance(sem) >= 0) return 0;
  return elements(seat, sem, tag).filter(({ gate }) => isWaiting(gate)).length;
}

function isWaiting(gate: number): boolean {
  return gate === QUEUED || gate === LINKED || gate === PARKED;
}

function elements({ words }: Seat, sem: number, tag: number) {
  return [...records(words, HEADER_ELEMENT_POOL)]
    .filter(({ record, owner }) => owner !== 0 && words.get32(record + SEM) === sem && words.get32(record + TAG) === tag)
    .map(({ record, owner }) => ({
      agent: owner,
      gate: words.load32(record + GATE),
      ticket: words.get64(record + AT),
      permits: words.get32(record + COUNT),
      kind: words.get32(record + MODE) === MODE_ASYNC ? ('async' as const) : ('blocking' as const),
      since: Number(words.get64(record + SINCE)),
    }));
}

function holders(seat: Seat, sem: number, tag: number): Holder[] {
  return [...recordedHolders(seat, sem, tag), ...grantedHolders(seat, sem, tag)];
}

function* recordedHolders({ words }: Seat, sem: number, tag: number): Generator<Holder> {
  for (const { record, owner } of records(words, HEADER_LEDGER_POOL)) {
    if (owner === 0) continue;
    for (let entry = record + ENTRY_STRIDE; entry < record + LEDGER_STRIDE; entry += ENTRY_STRIDE) {
      const permits = Number(words.get64(entry + ENTRY_HELD));
      if (permits === 0 || words.get32(entry + ENTRY_TAG) !== tag || words.get32(entry + ENTRY_SEM) !== sem) continue;
      const since = Number(words.get64(entry + ENTRY_SINCE));
      yield since === 0 ? { agent: owner, permits } : { agent: owner, permits, since };
    }
  }
}

/** Waiters that have their verdict and have not looked at it yet: the permits are theirs. */
function* grantedHolders(seat: Seat, sem: number, tag: number): Generator<Holder> {
  for (const { gate, agent, permits } of elements(seat, sem, tag)) if (gate === GRANTED) yield { agent, permits };
}
