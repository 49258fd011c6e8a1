// The agents that a waiter waits for. Only for messages: the cost is bounded, so some agents may be missing.

import { isWaiting, ownerOfLock } from '../arena/holders-and-waiters.ts';
import { entries, records, type EntryRecord } from '../arena/pool.ts';
import type { AgentContext } from '../arena/agent-context.ts';
import {
  AT,
  ENTRY_SINCE,
  GATE,
  HEADER_ELEMENT_POOL,
  SEM,
  SINCE,
  TAG,
} from '../kernel/layout.ts';
import { plural } from './title.ts';
import type { ElementAddress } from '../kernel/addresses.ts';

/** The most records of a pool that one message reads: some 100 µs. */
export const MOST_RECORDS = 1024;

/** One of the lines of a primitive: address and tag. */
export interface Line {
  readonly address: number;
  readonly tag: number;
}

/** The agents that hold it: by its own word if that names the owner, otherwise by their ledgers. */
export function holdersOf(context: AgentContext, { address, tag }: Line): number[] {
  const { words } = context;
  const owner = ownerOfLock(words, address);
  if (owner !== 0) return [owner];
  const agents = new Set([...entriesOf(context, { address, tag })].map((entry) => entry.owner));
  return [...agents].sort((a, b) => a - b);
}

/** When the agent that holds it was admitted after a wait, in ms since 1970. 0: not known. */
export function heldSince(context: AgentContext, line: Line, agent: number): number {
  for (const { entry, owner } of entriesOf(context, line)) if (owner === agent) return Math.max(0, Number(context.words.get64(entry + ENTRY_SINCE)));
  return 0;
}

function* entriesOf({ words }: AgentContext, { address, tag }: Line): Generator<EntryRecord> {
  for (const entry of entries(words, MOST_RECORDS)) if (entry.held > 0n && entry.tag === tag && entry.address === address) yield entry;
}

/**
 * The number of waiters in a line, in words; '' for none. `element`: the caller's element, 0 = none. With an element in an ordered
 * line, only the waiters before it count.
 */
export function waitersText(context: AgentContext, line: Line, element: ElementAddress | 0, { ordered, noun }: { readonly ordered: boolean; readonly noun: string }): string {
  const at = lineOf(context, element, line);
  const isPlaced = at !== undefined;
  const { count, isAll } = countWaiters(context, at ?? line, isPlaced && ordered ? element : 0);
  if (count === 0 && !isAll) return '';
  const all = `${isAll ? '' : 'at least '}${plural(count, noun)}`;
  if (isPlaced && ordered) return count === 0 ? 'next in line' : `${all} ahead`;
  return count === 0 ? '' : `${all} in line`;
}

/** The line that the element stands in: some primitives have lines behind the first, all with its tag. */
function lineOf({ words }: AgentContext, element: ElementAddress | 0, { tag }: Line): Line | undefined {
  if (element === 0 || words.get32(element + TAG) !== tag) return undefined;
  return { address: words.get32(element + SEM), tag };
}

function countWaiters(context: AgentContext, line: Line, element: ElementAddress | 0): { readonly count: number; readonly isAll: boolean } {
  const { words } = context;
  let [count, seen] = [0, 0];
  for (const { record, owner } of records(words, HEADER_ELEMENT_POOL)) {
    if (++seen > MOST_RECORDS) return { count, isAll: false };
    if (owner === 0 || record === element || !isWaiting(words.load32(record + GATE)) || !isAt(context, record, line)) continue;
    if (element === 0 || isBefore(context, record, element)) count += 1;
  }
  return { count, isAll: true };
}

/** By their tickets. Where waiters draw none, AT is the same for all, and the ms in which they arrived decides. */
function isBefore({ words }: AgentContext, record: number, element: ElementAddress | 0): boolean {
  const ahead = BigInt.asIntN(64, words.get64(element + AT) - words.get64(record + AT));
  return ahead > 0n || (ahead === 0n && words.get64(record + SINCE) <= words.get64(element + SINCE));
}

function isAt({ words }: AgentContext, record: number, { address, tag }: Line): boolean {
  return words.get32(record + SEM) === address && words.get32(record + TAG) === tag;
}
