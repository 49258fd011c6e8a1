// All holders and all waiters of an arena, read from the records of all agents.

import type { Kind } from '../agent/kind.ts';
import type { Life } from '../agent/liveness-probe.ts';
import type { Parking } from '../agent/parking.ts';
import {
  DRAWN,
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_TAG,
  COUNT,
  ENTRY_SINCE,
  FLAG_SLEEP_WORD,
  FLAG_COUNTS_WAITS,
  FLAG_SHARED,
  FLAG_TURNS,
  FLAG_WANTS,
  FLAGS,
  GATE,
  GRANT,
  HEADER_ELEMENT_POOL,
  LAST_BASE_KIND,
  MODE,
  MODE_ASYNC,
  OFFICE,
  OFFICE_HIGH,
  OWNERS_AT,
  LINE,
  SINCE,
  TAG,
  WANTS,
} from '../kernel/layout.ts';
import { ABANDONED, FREE, GRANTED, HANDED, LINKED, PARKED, PROMISED, QUEUED } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import { blockOf, blocks } from '../memory/blocks.ts';
import { isInUse } from '../memory/heap.ts';
import { entries, records } from '../memory/records.ts';
import { asBlock, asLine, type BlockAddress, type LineAddress } from '../kernel/addresses.ts';

/** What a report says of a kind. */
export type KindFacts = Pick<Kind<object>, 'title' | 'endedBy' | 'competes'>;

/** The part of an agent that a report reads: the shared words, and the kinds that explain them. */
export interface Reader {
  readonly words: Words;
  kindWith(code: number): { readonly kind: KindFacts } | undefined;
}

/** The part of an agent that a report of the whole arena reads. A thread that has not joined the arena has it, too. */
export interface Onlooker extends Reader {
  /** The id of the reading agent, or 0. */
  readonly id: number;
  readonly heap: { readonly bytes: number };
  readonly parking: Pick<Parking, 'now' | 'date' | 'notify'>;
  /** The object that keeps what this thread learned about the other agents. Default: this one. */
  readonly asker?: object;
  /**
   * Returns whether the agent of a record exists, if the onlooker knows it without a probe. A probe uses up one of the
   * agent's answers.
   */
  knownLife?(record: number): Life | undefined;
}

/** The FLAGS of a lock in turns that agents also share. */
const SHARED_IN_TURNS = FLAG_SHARED | FLAG_TURNS;

/** Permits that one agent holds of one primitive. */
export interface HoldingRecord {
  readonly agent: number;
  readonly address: number;
  readonly tag: number;
  readonly permits: number;
  /** ms since 1970, when the agent was last admitted after a wait. 0 if it did not wait, or has not seen its grant. */
  readonly since: number;
}

/** A waiter that has no verdict yet. */
export interface WaitingRecord {
  readonly agent: number;
  readonly address: number;
  readonly tag: number;
  readonly permits: number;
  readonly kind: 'blocking' | 'async';
  readonly since: number;
  readonly ticket: bigint;
  readonly gate: number;
}

/** Yields permits that are taken and not released, including those granted to waiters that have not seen the grant. */
export function* allHoldings(reader: Reader): Generator<HoldingRecord> {
  const { words } = reader;
  yield* allTaken(words);
  for (const { agent, address, tag, permits, gate } of elements(words, isGranted)) {
    if (!competes(reader, gate, address)) yield { agent, address, tag, permits, since: 0 };
  }
}

/** Yields permits that are taken and not released, without those of waiters that have not seen the grant. */
export function* allTaken(words: Words): Generator<HoldingRecord> {
  yield* allLocksOwned(words);
  for (const { entry, owner, address, tag, held } of entries(words)) {
    if (held === 0n || tag === 0 || !isInUse(words, address, tag) || countsWaits(words, address)) continue;
    yield { agent: owner, address, tag, permits: Number(held), since: Number(words.get64(entry + ENTRY_SINCE)) };
  }
}

function countsWaits(words: Words, line: number): boolean {
  return (words.get32(line + FLAGS) & FLAG_COUNTS_WAITS) !== 0;
}

/** Yields locks whose words name their owners, as most locks' words do. */
function* allLocksOwned(words: Words): Generator<HoldingRecord> {
  for (const block of blocks(words)) {
    for (const address of ownedLines(words, block)) {
      const agent = ownerOfLine(words, address);
      if (agent !== 0) yield { agent, address, tag: words.load32(address + BLOCK_TAG), permits: 1, since: 0 };
    }
  }
}

/** Returns the id of the lock's owner. Returns 0 if the block names no owner, or if no agent owns the lock. */
export function ownerOfLock(words: Words, address: number): number {
  const block = asBlock(address);
  return ownedLines(words, block).includes(block) ? ownerOfLine(words, address) : 0;
}

/** Returns the owner as `ownerOfLock` does. While the lock is handed to a waiter, returns the agent of that waiter. */
export function ownerOrReceiver(words: Words, address: number): number {
  const owner = ownerOfLock(words, address);
  if (owner !== 0 || words.load32(address + OFFICE) !== HANDED) return owner;
  const tag = words.load32(address + BLOCK_TAG);
  const grant = words.load64(address + GRANT);
  for (const wait of elements(words, (gate) => isGranted(gate) || isWaiting(gate))) {
    if (wait.address !== address || wait.tag !== tag) continue;
    // Where waiters draw no tickets, a waiter is PROMISED before it is GRANTED.
    const isNext = isGranted(wait.gate) || wait.gate === PROMISED || BigInt.asIntN(64, grant - wait.ticket) > 0n;
    if (isNext) return wait.agent;
  }
  // The receiver has meanwhile seen its grant.
  return ownerOfLock(words, address);
}

/** The lines of a block that name a lock's owner. */
export function ownedLines(words: Words, block: BlockAddress): readonly LineAddress[] {
  const kind = words.load32(block + BLOCK_KIND);
  if (kind > LAST_BASE_KIND) {
    const owners = words.get32(block + FLAGS) >>> OWNERS_AT;
    return [0, 1, 2].filter((line) => (owners & (1 << line)) !== 0).map((line) => asLine(block + line * BLOCK_LINE));
  }
  return [];
}

export function ownerOfLine(words: Words, line: number): number {
  // The low half of OFFICE holds the owner.
  const owner = words.load32(line + OFFICE);
  return owner === HANDED ? 0 : owner;
}

export function* allWaiting(reader: Reader): Generator<WaitingRecord> {
  for (const wait of elements(reader.words, (gate) => isWaiting(gate) || isGranted(gate))) {
    if (waits(reader, wait.gate, wait.address)) yield wait;
  }
}

/** Whether the waiter with that gate has no verdict, or one that only allows it to compete. */
function waits(reader: Reader, gate: number, line: number): boolean {
  return isWaiting(gate) || competes(reader, gate, line);
}

/** The role in which `inspect` lists the agent of an element in a line. */
export function roleOf(reader: Reader, element: number): 'waiter' | 'holder' | undefined {
  const gate = gateOf(reader.words, element);
  if (waits(reader, gate, reader.words.get32(element + LINE))) return 'waiter';
  return isGranted(gate) ? 'holder' : undefined;
}

/**
 * Whether the permit of a waiter with that gate only allows it to compete. If not, the lock is on its way to the
 * waiter.
 */
export function competes(reader: Reader, gate: number, line: number): boolean {
  if (!isGranted(gate)) return false;
  const { words } = reader;
  const block = blockOf(words, line);
  if (ownedLines(words, block).includes(asLine(line))) return words.load32(line + OFFICE) !== HANDED;
  if (line === block || (words.get32(block + FLAGS) & SHARED_IN_TURNS) !== SHARED_IN_TURNS) return false;
  // Without the line's kind the reader cannot tell. The waiter has not seen a verdict yet, so it counts as a waiter.
  const kind = reader.kindWith(words.load32(line + BLOCK_KIND))?.kind;
  return kind?.competes?.(words.load32(block + OFFICE), words.load32(block + OFFICE_HIGH)) ?? true;
}

/** Whether the longest waiter in that line becomes the successor at a lock in turns. */
export function hasSuccessors(words: Words, line: number): boolean {
  const block = blockOf(words, line);
  const flags = words.get32(block + FLAGS);
  return (
    (flags & FLAG_TURNS) !== 0 &&
    (ownedLines(words, block).includes(asLine(line)) || (line !== block && (flags & FLAG_SHARED) !== 0))
  );
}

/** Yields waiters that cancelled while their places are still in line. */
export function allAbandoned(words: Words): Generator<WaitingRecord> {
  return elements(words, (gate) => gate === ABANDONED);
}

/**
 * Whether a waiter is in a line of readers, and was admitted. Readers are admitted together, by one addition, and their
 * elements say so one after the other.
 */
export function isAdmittedReader(words: Words, { address, ticket }: WaitingRecord): boolean {
  const isReader = blockOf(words, address) === address && (words.get32(address + FLAGS) & FLAG_SHARED) !== 0;
  return isReader && BigInt.asIntN(64, words.load64(address + GRANT) - ticket) > 0n;
}

/** Whether a waiter with that gate was admitted and has not seen its admission. */
export function isGranted(gate: number): boolean {
  return gate === GRANTED;
}

/** Whether a waiter with that gate has no verdict yet. */
export function isWaiting(gate: number): boolean {
  return gate === QUEUED || gate === LINKED || gate === PARKED || gate === PROMISED;
}

function* elements(words: Words, has: (gate: number) => boolean): Generator<WaitingRecord> {
  for (const { record, owner } of records(words, HEADER_ELEMENT_POOL)) {
    const gate = owner === 0 ? FREE : gateOf(words, record);
    const wait = owner === 0 || !has(gate) ? undefined : waiterAt(words, record, owner, gate);
    if (wait !== undefined) yield wait;
  }
}

/** Reads ms since 1970 from two halves, without a BigInt. */
export function millisAt(words: Words, at: number): number {
  return words.get32(at + 4) * 2 ** 32 + (words.get32(at) >>> 0);
}

/** Reads the element of a waiter in line. Returns `undefined` if its line was freed. */
export function waiterAt(words: Words, element: number, owner: number, gate: number): WaitingRecord | undefined {
  const [address, tag] = [words.get32(element + LINE), words.get32(element + TAG)];
  if (!isInUse(words, address, tag)) return undefined;
  return {
    agent: owner,
    gate,
    address,
    tag,
    permits: words.get32(element + (isWaiting(gate) && saysWants(words, address) ? WANTS : COUNT)),
    kind: words.get32(element + MODE) === MODE_ASYNC ? 'async' : 'blocking',
    since: millisAt(words, element + SINCE),
    ticket: words.get64(element + DRAWN),
  };
}

/**
 * Returns the gate of an element. An async wait that is in no chain, and a waiter on a sleep word, count as admitted once
 * `grant` has passed their ticket (line/line-async.ts, sleep-word.ts).
 */
export function gateOf(words: Words, element: number): number {
  const gate = words.load32(element + GATE);
  if (gate !== QUEUED) return gate;
  const line = words.get32(element + LINE);
  const looksItself = words.get32(element + MODE) === MODE_ASYNC || (words.get32(line + FLAGS) & FLAG_SLEEP_WORD) !== 0;
  if (!looksItself) return gate;
  // The whole words: tickets count permits, and the words of a barrier have its generation in their high halves.
  const progress = BigInt.asIntN(64, words.load64(line + GRANT) - words.get64(element + DRAWN));
  return progress >= BigInt(words.get32(element + COUNT)) ? GRANTED : QUEUED;
}

/** Whether a ticket there can be for more than a permit. The waiter's element tells how much. */
function saysWants(words: Words, line: number): boolean {
  return (words.get32(line + FLAGS) & FLAG_WANTS) !== 0;
}
