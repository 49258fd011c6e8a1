// Finds the agents that a waiter waits for. Only messages use it. Its cost is bounded, so some agents may be missing.

import { ownerOfLock, roleOf } from '../report/holders-and-waiters.ts';
import { entries, records, type EntryRecord } from '../memory/records.ts';
import type { AgentContext } from '../agent/agent-context.ts';
import { DRAWN, ENTRY_SINCE, HEADER_ELEMENT_POOL, LINE, SINCE, TAG } from '../kernel/layout.ts';
import { MAX_RECORDS, type Counted } from '../report/counted.ts';
import { plural } from '../api/wording.ts';
import type { ElementAddress } from '../kernel/addresses.ts';

/** One of the lines of a primitive: address and tag. */
export interface LineRef {
  readonly address: number;
  readonly tag: number;
}

/**
 * Returns the agents that hold the line. If the line's own word names the owner, the result is that owner. Otherwise it
 * comes from the ledgers. Agents that have not seen their grants count, too.
 */
export function holdersOf(context: AgentContext, line: LineRef): number[] {
  const { words } = context;
  const owner = ownerOfLock(words, line.address);
  if (owner !== 0) return [owner];
  const agents = new Set(recordedAt(context, line));
  let seen = 0;
  for (const { record, owner: agent } of records(words, HEADER_ELEMENT_POOL)) {
    if (++seen > MAX_RECORDS) break;
    if (agent !== 0 && isAt(context, record, line) && roleOf(context, record) === 'holder') agents.add(agent);
  }
  return [...agents].sort((a, b) => a - b);
}

/** Returns the agents whose ledgers record a part of this line as held. */
export function recordedAt(context: AgentContext, line: LineRef): number[] {
  return [...new Set([...entriesOf(context, line)].map((entry) => entry.owner))].sort((a, b) => a - b);
}

/** Returns when the holder was admitted after a wait, in ms since 1970. Returns 0 if that is not known. */
export function heldSince(context: AgentContext, line: LineRef, agent: number): number {
  for (const { entry, owner } of entriesOf(context, line))
    if (owner === agent) return Math.max(0, Number(context.words.get64(entry + ENTRY_SINCE)));
  return 0;
}

function* entriesOf({ words }: AgentContext, { address, tag }: LineRef): Generator<EntryRecord> {
  for (const entry of entries(words, MAX_RECORDS))
    if (entry.held > 0n && entry.tag === tag && entry.address === address) yield entry;
}

/** The lines in which the waiters of a call stand. */
export interface WaitersOfCall {
  /** In the order in which they are served. */
  readonly lines: readonly LineRef[];
  /** The number of waiters, if it cannot be counted in the lines: either all waiters, or those before the caller. */
  readonly known?: Counted | undefined;
  readonly ordered: boolean;
  readonly noun: string;
}

/**
 * Returns the number of waiters in words, or '' for none. `element` is the caller's element (0: none). With an element
 * in an ordered line, only the waiters before it count: those before it in its own line, and all in earlier lines.
 */
export function waitersText(
  context: AgentContext,
  { lines, known, ordered, noun }: WaitersOfCall,
  element: ElementAddress | 0,
): string {
  const place = ordered ? lines.findIndex((line) => element !== 0 && isAt(context, element, line)) : -1;
  const isPlaced = place >= 0;
  const { count, isAll } =
    known ?? countWaiters(context, isPlaced ? lines.slice(0, place + 1) : lines, element, isPlaced);
  if (count === 0 && !isAll) return '';
  const all = `${isAll ? '' : 'at least '}${plural(count, noun)}`;
  if (isPlaced) return count === 0 ? 'next in line' : `${all} ahead`;
  return count === 0 ? '' : `${all} in line`;
}

/** Counts the waiters in a line as `inspect` does. */
export function countIn(context: AgentContext, line: LineRef): Counted {
  return countWaiters(context, [line], 0, false);
}

/**
 * Counts waiters as `inspect` does, without the caller. With `onlyBefore`, the last line counts only waiters before the
 * caller.
 */
function countWaiters(
  context: AgentContext,
  lines: readonly LineRef[],
  element: ElementAddress | 0,
  onlyBefore: boolean,
): Counted {
  const { words } = context;
  const own = lines.at(-1);
  let [count, seen] = [0, 0];
  for (const { record, owner } of records(words, HEADER_ELEMENT_POOL)) {
    if (++seen > MAX_RECORDS) return { count, isAll: false };
    if (owner === 0 || record === element) continue;
    const line = lines.find((each) => isAt(context, record, each));
    if (line === undefined || roleOf(context, record) !== 'waiter') continue;
    if (!onlyBefore || line !== own || isBefore(context, record, element)) count += 1;
  }
  return { count, isAll: true };
}

/** Compares by ticket. Where waiters draw no tickets, DRAWN is the same for all, and the arrival time in ms decides. */
function isBefore({ words }: AgentContext, record: number, element: ElementAddress | 0): boolean {
  const ahead = BigInt.asIntN(64, words.get64(element + DRAWN) - words.get64(record + DRAWN));
  return ahead > 0n || (ahead === 0n && words.get64(record + SINCE) <= words.get64(element + SINCE));
}

function isAt({ words }: AgentContext, record: number, { address, tag }: LineRef): boolean {
  return words.get32(record + LINE) === address && words.get32(record + TAG) === tag;
}
