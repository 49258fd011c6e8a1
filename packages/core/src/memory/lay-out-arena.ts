// Lays out an arena, and gives an agent its record in it.

import type { Kernel } from '../kernel/kernel.ts';
import {
  AGENT_JOINED,
  AGENT_STRIDE,
  BLOCK_LINE,
  BUCKETS,
  BUCKET_SHIFT,
  HEADER_AGENTS,
  HEADER_AGENT_POOL,
  HEADER_BUCKET_MASK,
  HEADER_HEAP,
  HEADER_ID,
  HEADER_LISTS,
  HEADER_MAGIC,
  HEADER_MAP,
  HEADER_MAX_PAGES,
  HEADER_TOP,
  HEADER_VERSION,
  LAYOUT_VERSION,
  MAGIC,
} from '../kernel/layout.ts';
import type { Words } from '../kernel/words.ts';
import { mapBytes } from './blocks.ts';
import { LISTS_BYTES } from './free-lists.ts';
import type { Heap } from './heap.ts';
import { Pool, type PoolClaimant } from './pool.ts';
import { threadWord } from '../platform/thread.ts';
import type { AgentAddress } from '../kernel/addresses.ts';
import { asAgent } from '../kernel/addresses.ts';

/** Returns the address of the heap in an arena with `buckets` buckets that may grow to `maxPages` pages. */
export function heapStart(buckets: number, maxPages: number): number {
  return Math.ceil((listsStart(buckets) + LISTS_BYTES + mapBytes(maxPages)) / BLOCK_LINE) * BLOCK_LINE;
}

function listsStart(buckets: number): number {
  return BUCKETS + (buckets << BUCKET_SHIFT);
}

/** Lays out an arena in memory that is all zero and not yet shared with another thread. */
export function found(words: Words, buckets: number, maxPages: number, id: bigint): void {
  const heap = heapStart(buckets, maxPages);
  const lists = listsStart(buckets);
  words.put64(HEADER_ID, id);
  words.put32(HEADER_VERSION, LAYOUT_VERSION);
  words.put32(HEADER_BUCKET_MASK, buckets - 1);
  words.put32(HEADER_MAX_PAGES, maxPages);
  words.put32(HEADER_LISTS, lists);
  words.put32(HEADER_MAP, lists + LISTS_BYTES);
  words.put32(HEADER_HEAP, heap);
  words.put32(HEADER_TOP, heap);
  words.put32(HEADER_MAGIC, MAGIC);
}

/** Returns a random arena id. */
export function newArenaId(): bigint {
  return crypto.getRandomValues(new BigInt64Array(1))[0] ?? 0n;
}

class AgentPool extends Pool {
  readonly #agent: number;
  readonly #thread: number;

  constructor(agent: number, thread: number) {
    super(HEADER_AGENT_POOL, AGENT_STRIDE);
    this.#agent = agent;
    this.#thread = thread;
  }

  protected override take({ kernel }: PoolClaimant, record: number): number {
    return kernel.claimRecord(record, this.#agent, this.#thread);
  }
}

/**
 * Gives the calling agent a record, and an id that no agent of this arena had before. `thread` is as in AGENT_THREAD. A
 * record that no agent has claimed is all zero up to AGENT_SCRATCH: new memory is zero, and recovery clears records.
 * Throws `ArenaFullError`.
 */
export function join(
  words: Words,
  kernel: Kernel,
  heap: Heap,
  thread = threadWord(),
): { agent: AgentAddress; id: number } {
  const id = words.add32(HEADER_AGENTS, 1) + 1;
  const agent = asAgent(new AgentPool(id, thread).claim({ words, kernel, heap, id: -thread }));
  words.put64(agent + AGENT_JOINED, BigInt(Math.trunc(Date.now())));
  return { agent, id };
}
