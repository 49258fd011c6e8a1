// The agents that a waiter waits for. Only for messages: the cost is bounded, so some agents may be missing.

import { ownerOfLock, roleOf } from '../report/holders-and-waiters.ts';
import { entries, records, type EntryRecord } from '../memory/records.ts';
import type { AgentContext } from '../agent/agent-context.ts';
import { AT, ENTRY_SINCE, HEADER_ELEMENT_POOL, SEM, SINCE, TAG } from '../kernel/layout.ts';
import { MOST_RECORDS, type Counted } from '../report/counted.ts';
import { plural } from '../api/wording.ts';
import type { ElementAddress } from '../kernel/addresses.ts';

/** One of the lines of a primitive: address and tag. */
export interface Line {
  readonly address: number;
  readonly tag: number;
}

/**
 * The agents that hold the line, by its own word if that names the owner, otherwise by the ledgers. Agents that have
 * not seen their grants count, too.
 */
export function holdersOf(context: AgentContext, line: Line): number[] {
  const { words } = context;
  const owner = ownerOfLock(words, line.address);
  if (owner !== 0) return [owner];
  const agents = new Set(recordedAt(context, line));
  let seen = 0;
  for (const { record, owner: agent } of records(words, HEADER_ELEMENT_POOL)) {
    if (++seen > MOST_RECORDS) break;
    if (agent !== 0 && isAt(context, record, line) && roleOf(words, record) === 'holder') agents.add(agent);
  }
  return [...agents].sort((a, b) => a - b);
}

/** The agents whose ledgers say that they hold some of it. */
export function recordedAt(context: AgentContext, line: Line): number[] {
  return [...new Set([...entriesOf(context, line)].map((entry) => entry.owner))].sort((a, b) => a - b);
}

/** When the agent that holds it was admitted after a wait, in ms since 1970. 0: not known. */
export function heldSince(context: AgentContext, line: Line, agent: number): number {
  for (const { entry, owner } of entriesOf(context, line))
    if (owner === agent) return Math.max(0, Number(context.words.get64(entry + ENTRY_SINCE)));
  return 0;
}

function* entriesOf({ words }: AgentContext, { address, tag }: Line): Generator<EntryRecord> {
  for (const entry of entries(words, MOST_RECORDS))
    if (entry.held > 0n && entry.tag === tag && entry.address === address) yield entry;
}

/** Where the waiters of a call stand. */
export interface Waiting {
  /** In the order in which they are served. */
  readonly lines: readonly Line[];
  /** The number of waiters, if it cannot be counted in the lines: of all, or of those before the caller. */
  readonly known?: Counted | undefined;
  readonly ordered: boolean;
  readonly noun: string;
}

/**
 * The number of waiters, in words; '' for none. `element`: the caller's element, 0 = none. With an element in an
 * ordered line, only the waiters before it count: those before it in its line, and all in the lines before that.
 */
export function waitersText(
  context: AgentContext,
  { lines, known, ordered, noun }: Waiting,
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
export function countIn(context: AgentContext, line: Line): Counted {
  return countWaiters(context, [line], 0, false);
}

/** Counts as `inspect` does, without the caller. `onlyBefore`: in the last line only those before the caller. */
function countWaiters(
  context: AgentContext,
  lines: readonly Line[],
  element: ElementAddress | 0,
  onlyBefore: boolean,
): Counted {
  const { words } = context;
  const own = lines.at(-1);
  let [count, seen] = [0, 0];
  for (const { record, owner } of records(words, HEADER_ELEMENT_POOL)) {
    if (++seen > MOST_RECORDS) return { count, isAll: false };
    if (owner === 0 || record === element) continue;
    const line = lines.find((each) => isAt(context, record, each));
    if (line === undefined || roleOf(words, record) !== 'waiter') continue;
    if (!onlyBefore || line !== own || isBefore(context, record, element)) count += 1;
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
