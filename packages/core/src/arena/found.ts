// How an arena begins, and how an agent gets its record in it.

import type { Kernel } from '../kernel/kernel.ts';
import {
  AGENT_ALIVE,
  AGENT_JOINED,
  AGENT_STATE,
  AGENT_STRIDE,
  BLOCK_LINE,
  BUCKETS,
  BUCKET_SHIFT,
  HEADER_AGENTS,
  HEADER_AGENT_POOL,
  HEADER_BUCKET_MASK,
  HEADER_HEAP,
  HEADER_ID,
  HEADER_MAGIC,
  HEADER_MAX_PAGES,
  HEADER_TOP,
  HEADER_VERSION,
  LAYOUT_VERSION,
  LOBBY,
  MAGIC,
} from '../kernel/layout.ts';
import type { Words } from '../kernel/words.ts';
import type { Heap } from './heap.ts';
import { Pool } from './pool.ts';

/** The address of the heap in an arena with that many buckets. */
export function heapStart(buckets: number): number {
  return Math.ceil((BUCKETS + (buckets << BUCKET_SHIFT)) / BLOCK_LINE) * BLOCK_LINE;
}

/** Lays out an arena in memory that is all zero and that nobody else knows yet. */
export function found(words: Words, buckets: number, maxPages: number, id: bigint): void {
  const heap = heapStart(buckets);
  words.put64(HEADER_ID, id);
  words.put32(HEADER_VERSION, LAYOUT_VERSION);
  words.put32(HEADER_BUCKET_MASK, buckets - 1);
  words.put32(HEADER_MAX_PAGES, maxPages);
  words.put32(HEADER_HEAP, heap);
  words.put32(HEADER_TOP, heap);
  words.put32(HEADER_MAGIC, MAGIC);
}

/** A random arena id. */
export function newArenaId(): bigint {
  return crypto.getRandomValues(new BigInt64Array(1))[0] ?? 0n;
}

/** Gives the calling agent a record and an id that no agent of this arena had before. Throws `ArenaFullError`. */
export function join(words: Words, kernel: Kernel, heap: Heap): { agent: number; id: number } {
  const id = words.add32(HEADER_AGENTS, 1) + 1;
  const agent = new Pool(HEADER_AGENT_POOL, AGENT_STRIDE).claim({ words, kernel, heap, agent: LOBBY, id });
  for (let at = AGENT_STATE; at < AGENT_STRIDE; at += 4) words.put32(agent + at, 0);
  words.put64(agent + AGENT_JOINED, BigInt(Date.now()));
  words.store32(agent + AGENT_STATE, AGENT_ALIVE);
  return { agent, id };
}
