// The waits on conditions, as their elements record them (line/condition-claim.ts).

import { MAX_RECORDS, type Counted } from './counted.ts';
import { records } from '../memory/records.ts';
import { CLAIM_PERMITS, CLAIM_TAG, GATE, HEADER_ELEMENT_POOL, MODE, MODE_ASYNC, SINCE } from '../kernel/layout.ts';
import { SLEEPING, LISTED, ON_WORD, WATCHING } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import type { ElementAddress } from '../kernel/addresses.ts';

/** A waiter. */
export interface WaiterRecord {
  readonly agent: number;
  readonly permits: number;
  readonly kind: 'blocking' | 'async';
  /** ms since 1970, when the wait began. */
  readonly since: number;
}

/** A waiter that sleeps until a condition holds. */
export interface ConditionRecord extends WaiterRecord {
  /** The tag of the semaphore whose permits it waits for; 0 if there is none. */
  readonly tag: number;
}

/** Returns the waiters for permits of the semaphore with that tag that have no ticket, oldest first. */
export function waitersWithoutTicket(words: Words, tag: number): WaiterRecord[] {
  return [...records(words, HEADER_ELEMENT_POOL)]
    .filter(({ record, owner }) => owner !== 0 && isAwaited(words.load32(record + GATE)))
    .map(({ record, owner }) => conditionAt(words, record, owner))
    .filter((record) => record.tag === tag && record.permits > 0)
    .map(({ agent, permits, kind, since }) => ({ agent, permits, kind, since }))
    .sort((a, b) => a.since - b.since);
}

/**
 * Counts the waiters for permits of the semaphore with that tag that have no ticket, for a message. `element` is the
 * element of a wait that does not count.
 */
export function countWithoutTicket(words: Words, tag: number, element: ElementAddress | 0): Counted {
  let [count, seen] = [0, 0];
  for (const { record, owner } of records(words, HEADER_ELEMENT_POOL)) {
    if (++seen > MAX_RECORDS) return { count, isAll: false };
    if (owner === 0 || record === element || !isAwaited(words.load32(record + GATE))) continue;
    if (words.get32(record + CLAIM_TAG) === tag && words.get32(record + CLAIM_PERMITS) > 0) count += 1;
  }
  return { count, isAll: true };
}

/** Returns all waiters that sleep on a condition. A blocking waiter may also be in line for permits. */
export function sleepersOnConditions(words: Words): ConditionRecord[] {
  const all: ConditionRecord[] = [];
  for (const { record, owner } of records(words, HEADER_ELEMENT_POOL)) {
    const sleeper = owner !== 0 && isAsleep(words.load32(record + GATE)) ? sleeperAt(words, record, owner) : undefined;
    if (sleeper !== undefined) all.push(sleeper);
  }
  return all;
}

/** Reads the element of a waiter that sleeps on a condition. Returns `undefined` if it waits for nothing. */
export function sleeperAt(words: Words, element: number, owner: number): ConditionRecord | undefined {
  const record = conditionAt(words, element, owner);
  return record.permits === 0 ? undefined : { ...record, permits: Math.max(0, record.permits) };
}

function isAwaited(gate: number): boolean {
  return gate === WATCHING || isAsleep(gate);
}

/** Excludes WATCHING: an agent may have left such an element behind at a location. */
export function isAsleep(gate: number): boolean {
  return gate === SLEEPING || gate === ON_WORD || gate === LISTED;
}

function conditionAt(words: Words, element: number, owner: number): ConditionRecord {
  return {
    agent: owner,
    permits: words.get32(element + CLAIM_PERMITS),
    tag: words.get32(element + CLAIM_TAG),
    kind: words.get32(element + MODE) === MODE_ASYNC ? 'async' : 'blocking',
    since: Number(words.get64(element + SINCE)),
  };
}
