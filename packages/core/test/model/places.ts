// The addresses in a model's world: the layout of an arena, with smaller distances.

import type { Words } from '@sluice/model';
import {
  asAgent,
  asBlock,
  asElement,
  asEntry,
  type AgentAddress,
  type BlockAddress,
  type ElementAddress,
  type EntryAddress,
} from '../../src/kernel/addresses.ts';
import {
  AGENT_STRIDE,
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_NAME,
  BLOCK_SIZE,
  ELEMENT_STRIDE,
  ENTRY_STRIDE,
  HEADER_MAP,
  LEDGER_STRIDE,
  POOL_RECORDS,
} from '../../src/kernel/layout.ts';

/** The maximum number of agents of a world. */
const MAX_AGENTS = 6;
const MAX_SEMAPHORES = 9;
export const MAX_ELEMENTS = 12;

/**
 * The blocks of the three pools, behind at most 16 buckets. The semaphores lie behind the pool of the agents, and a
 * key's bucket depends on the address of its semaphore. At 1280, or without the gap, mutants survive that need keys in
 * separate buckets.
 */
export const AGENT_POOL = 1536;
const GAP = 128;
const SEMAPHORES = AGENT_POOL + POOL_RECORDS + MAX_AGENTS * AGENT_STRIDE + GAP;
export const ELEMENT_POOL = SEMAPHORES + MAX_SEMAPHORES * BLOCK_LINE;
export const LEDGER_POOL = ELEMENT_POOL + POOL_RECORDS + MAX_ELEMENTS * ELEMENT_STRIDE;
/** Two words that a lock protects. */
export const TREASURE = LEDGER_POOL + POOL_RECORDS + MAX_AGENTS * LEDGER_STRIDE;
/** A word that each agent inside loads, so that other agents may run meanwhile. Always 0. */
export const PULSE = TREASURE + 8;
/** The words that tell whether an agent is inside: one written by its body, one by the results of its kernel steps. */
export const insideAt = (agent: number): number => TREASURE + 16 + 4 * agent;
export const holdsAt = (agent: number): number => insideAt(MAX_AGENTS) + 4 * agent;
export const END = TREASURE + 64;

/** The map of block starts, in unused bytes of the header. */
export const MAP = 128;

/** A block: its address, its size in bytes, and its kind. */
export type Laid = readonly [block: number, size: number, kind: number];

/** Writes the headers of blocks. Records exactly these addresses as block starts. */
export function layBlocks(words: Words, blocks: readonly Laid[]): void {
  for (let word = MAP; word < MAP + 16; word += 4) words.put32(word, 0);
  words.put32(HEADER_MAP, MAP);
  for (const [block, size, kind] of blocks) {
    words.put32(block + BLOCK_KIND, kind);
    words.put32(block + BLOCK_SIZE, size);
    const word = MAP + 4 * (block >> 12);
    words.put32(word, words.get32(word) | (1 << ((block >> 7) & 31)));
  }
}

export const agentAt = (index: number): AgentAddress => asAgent(AGENT_POOL + POOL_RECORDS + index * AGENT_STRIDE);
export const semaphoreAddress = (index: number): BlockAddress => asBlock(SEMAPHORES + index * BLOCK_LINE);
export const elementAt = (index: number): ElementAddress =>
  asElement(ELEMENT_POOL + POOL_RECORDS + index * ELEMENT_STRIDE);
export const ledgerAt = (index: number): number => LEDGER_POOL + POOL_RECORDS + index * LEDGER_STRIDE;
/** Returns the ledger entry of an agent for a semaphore. */
export const entryAt = (agent: number, semaphore: number): EntryAddress =>
  asEntry(ledgerAt(agent) + (1 + semaphore) * ENTRY_STRIDE);
export const tagOf = (index: number): number => 7 + index;

const PLACES = [
  { kind: 'treasure', start: TREASURE, stride: 64 },
  { kind: 'ledger', start: ledgerAt(0), stride: LEDGER_STRIDE },
  { kind: 'element', start: elementAt(0), stride: ELEMENT_STRIDE },
  { kind: 'semaphore', start: SEMAPHORES, stride: BLOCK_LINE },
  { kind: 'agent', start: agentAt(0), stride: AGENT_STRIDE },
  { kind: 'header', start: 0, stride: BLOCK_NAME * 8 },
] as const;

/** Returns the place that an address belongs to. */
export function placeOf(address: number): { kind: (typeof PLACES)[number]['kind']; index: number; offset: number } {
  const place = PLACES.find(({ start }) => address >= start) ?? PLACES[PLACES.length - 1];
  const from = address - (place?.start ?? 0);
  const stride = place?.stride ?? 1;
  return { kind: place?.kind ?? 'header', index: Math.floor(from / stride), offset: from % stride };
}
