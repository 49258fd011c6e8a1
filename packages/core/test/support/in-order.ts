// Checks of the arena after the recovery of a dead agent.

import { blockOf, blocks } from '../../src/memory/blocks.ts';
import { records } from '../../src/memory/records.ts';
import * as L from '../../src/kernel/layout.ts';
import { ABANDONED, CLOSED, LEFT_CHAIN, FREE, GRANTED, LINKED, PARKED, SPENT } from '../../src/kernel/states.ts';
import type { Words } from '../../src/kernel/words.ts';
import type { World } from './crash-world.ts';
import type { ShadowUser } from './shadow-user.ts';
import { expectNone, expectSame } from './expect-same.ts';

const IN_HAND_OF_KIND = [
  L.AGENT_DUTY_KIND,
  L.AGENT_DUTY,
  ...[L.AGENT_CHAIN, L.AGENT_IN_FLIGHT, L.AGENT_POSTS].map((word) => L.KIND_AREA + word),
];
const IN_HAND = [
  L.AGENT_CHAIN,
  L.AGENT_IN_FLIGHT,
  L.AGENT_POSTS,
  L.AGENT_POST_LINE,
  L.AGENT_SWEEP,
  L.AGENT_TO_WAKE,
  ...IN_HAND_OF_KIND,
];

/** Returns the wrong words, each with its name. */
type Findings = string[];

/** Describes the blocks of the heap by kind, for a comparison with an earlier state. */
export function heapOf(words: Words): Map<number, number> {
  return new Map([...blocks(words)].map((block) => [block, words.load32(block + L.BLOCK_KIND)]));
}

/** Checks the arena right after the recovery. `living` are the ids of the agents that are alive. */
export function expectRecovered(world: World, living: readonly number[], shadowUsers: readonly ShadowUser[]): void {
  const { words } = world;
  const permitFaults = shadowUsers
    .map((shadowUser) => permitFault(words, shadowUser))
    .filter((fault) => fault !== undefined);
  const faults = [...agentFaults(words, living), ...elementFaults(words, living, true), ...otherFaults(words, living)];
  expectNone([...faults, ...permitFaults, ...dueWaiters(words)]);
}

/** Checks the arena after the living agents have finished and the dead agents' records are tidied. */
export function expectQuiet(world: World, living: readonly number[], shadowUsers: readonly ShadowUser[]): void {
  const { words } = world;
  const faults = [...agentFaults(words, living), ...elementFaults(words, living, false), ...otherFaults(words, living)];
  expectNone([...faults, ...bucketFaults(words), ...agentTraces(words, living)]);
  for (const shadowUser of shadowUsers) {
    if (stateOf(words, shadowUser) === 'open') expectSame(shadowUser.sem.available, shadowUser.permits);
  }
}

function agentFaults(words: Words, living: readonly number[]): Findings {
  const faults: Findings = [];
  for (const { record, owner } of records(words, L.HEADER_AGENT_POOL)) {
    if (owner === 0) continue;
    // A value below 0 is allowed: an agent that may have died checked whether this one is dead. It hinders no agent.
    if (words.load32(record + L.AGENT_RECLAIMER) > 0) faults.push(`agent ${owner} is being recovered`);
    for (const word of IN_HAND)
      if (words.get32(record + word) !== 0) faults.push(`agent ${owner} has word ${word} in hand`);
    if (living.includes(owner)) continue;
    const left =
      words.load32(record + L.AGENT_STATE) === L.AGENT_LEFT && words.load32(record + L.AGENT_STUB + L.OWNER) === owner;
    if (!left) faults.push(`agent ${owner} has a record`);
  }
  return faults;
}

/** Checks that records without an owner are all zero up to their scratch. */
function agentTraces(words: Words, living: readonly number[]): Findings {
  const traces: Findings = [];
  for (const { record, owner } of records(words, L.HEADER_AGENT_POOL)) {
    if (living.includes(owner)) continue;
    for (let at = 0; at < L.AGENT_SCRATCH; at += 4) {
      if (words.load32(record + at) !== 0)
        traces.push(`word ${at} of a free agent record is ${words.load32(record + at)}`);
    }
  }
  return traces;
}

function elementFaults(words: Words, living: readonly number[], tombstones: boolean): Findings {
  const faults: Findings = [];
  for (const { record, owner } of records(words, L.HEADER_ELEMENT_POOL)) {
    const gate = words.load32(record + L.GATE);
    if (owner === 0 && gate !== FREE && gate !== SPENT && gate !== LEFT_CHAIN)
      faults.push(`an element without an owner has gate ${gate}`);
    if (owner === 0 || (tombstones && (gate === ABANDONED || gate === SPENT))) continue;
    if (!living.includes(owner)) faults.push(`an element of agent ${owner} has gate ${gate}`);
    else if (!tombstones && gate !== FREE) faults.push(`an element of agent ${owner}, which lives, has gate ${gate}`);
  }
  return faults;
}

function otherFaults(words: Words, living: readonly number[]): Findings {
  return [...ledgerFaults(words, living), ...heapFaults(words)];
}

function ledgerFaults(words: Words, living: readonly number[]): Findings {
  const owners = [...records(words, L.HEADER_LEDGER_POOL)].map(({ owner }) => owner);
  return owners.filter((owner) => owner !== 0 && !living.includes(owner)).map((owner) => `agent ${owner} has a ledger`);
}

function heapFaults(words: Words): Findings {
  const faults: Findings = [];
  let end = words.get32(L.HEADER_HEAP);
  let free = 0;
  for (const [block, kind] of heapOf(words)) {
    if (block !== end) faults.push(`there are bytes between ${end} and ${block} that belong to no block`);
    end = block + words.load32(block + L.BLOCK_SIZE);
    if (kind === L.KIND_FREE) free += 1;
    if (kind === L.KIND_CLAIMED || kind === L.KIND_LEAVING)
      faults.push(`block ${block} is claimed by ${words.load32(block + L.BLOCK_OWNER)}`);
    const untagged = kind === L.KIND_FREE || kind === L.KIND_POOL;
    if (untagged && words.load32(block + L.BLOCK_TAG) !== 0) faults.push(`block ${block} has a tag`);
  }
  if (end !== words.load32(L.HEADER_TOP)) faults.push('the heap has a hole');
  if (free !== words.load32(L.HEADER_FREED))
    faults.push(`${free} blocks are free, ${words.load32(L.HEADER_FREED)} are counted`);
  return faults;
}

/**
 * Returns whether the chains have only elements of cancelled waiters at lines that admit all waiters at once. An agent
 * that gathers frees these elements.
 */
export function isOnlySpent(words: Words): boolean {
  for (let bucket = 0; bucket <= words.get32(L.HEADER_BUCKET_MASK); bucket++) {
    for (let at = words.load32(L.BUCKETS + (bucket << L.BUCKET_SHIFT)); at !== 0; at = words.get32(at + L.NEXT))
      if (words.load32(at + L.GATE) !== SPENT) return false;
  }
  return true;
}

function bucketFaults(words: Words): Findings {
  const faults: Findings = [];
  for (let bucket = 0; bucket <= words.get32(L.HEADER_BUCKET_MASK); bucket++) {
    const head = words.load32(L.BUCKETS + (bucket << L.BUCKET_SHIFT));
    if (head !== 0) faults.push(`bucket ${bucket} holds an element with gate ${words.load32(head + L.GATE)}`);
  }
  return faults;
}

export function stateOf(words: Words, { sem }: ShadowUser): 'open' | 'closed' | 'freed' {
  const tag = words.load32(sem.handle.address + L.BLOCK_TAG);
  if (tag === sem.handle.tag) return 'open';
  return tag === -sem.handle.tag ? 'closed' : 'freed';
}

function permitFault(words: Words, shadowUser: ShadowUser): string | undefined {
  if (stateOf(words, shadowUser) !== 'open')
    return shadowUser.waiting.length === 0 ? undefined : 'a waiter will never be woken';
  return balanceFault(words, shadowUser.sem.handle.address, shadowUser);
}

/**
 * Returns a fault unless each permit is free, held by a living agent according to its own records, or requested by a
 * waiter in line.
 */
export function balanceFault(
  words: Words,
  address: number,
  books: { readonly permits: number; readonly held: number; readonly wanted: number },
): string | undefined {
  const balance = Number(words.load64(address + L.GRANT) - words.load64(address + L.TICKET));
  const known = books.permits - books.held - books.wanted - leftBehind(words, address);
  return balance === known ? undefined : `balance ${balance}, expected ${known}`;
}

/** Counts the permits requested by tombstones, including those in agent records. */
export function leftBehind(words: Words, sem: number): number {
  const stubs = [...records(words, L.HEADER_AGENT_POOL)].map(({ record }) => record + L.AGENT_STUB);
  const elements = [...records(words, L.HEADER_ELEMENT_POOL)].map(({ record }) => record);
  const here = [...stubs, ...elements].filter(
    (at) => words.load32(at + L.GATE) === ABANDONED && words.get32(at + L.LINE) === sem,
  );
  return here.reduce((sum, at) => sum + words.get32(at + L.COUNT), 0);
}

function isInTurns(words: Words, line: number): boolean {
  return (words.get32(blockOf(words, line) + L.FLAGS) & L.FLAG_TURNS) !== 0;
}

/** Returns waiters whose permits are available and that were not told or not woken. */
function dueWaiters(words: Words): Findings {
  const due: Findings = [];
  for (const { record, owner } of records(words, L.HEADER_ELEMENT_POOL)) {
    const gate = words.load32(record + L.GATE);
    if (owner !== 0 && (gate === GRANTED || gate === CLOSED))
      due.push(`agent ${owner} has not been woken for its verdict`);
    if (gate !== LINKED && gate !== PARKED) continue;
    // A successor already has its permit and waits for the end of the turn.
    if (isInTurns(words, words.get32(record + L.LINE)) && words.get32(record + L.SUCCEEDS) !== 0) continue;
    const progress = words.load64(words.get32(record + L.LINE) + L.GRANT) - words.get64(record + L.DRAWN);
    if (progress >= BigInt(words.get32(record + L.COUNT))) due.push(`agent ${owner} waits for available permits`);
  }
  return due;
}
