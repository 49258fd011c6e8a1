// Memories that a valid handle never refers to.

import type { Arena, ArenaHandle } from '../../src/index.ts';
import { found } from '../../src/memory/lay-out-arena.ts';
import { HEADER_ID, HEADER_VERSION } from '../../src/kernel/layout.ts';
import { AtomicWords } from '../../src/kernel/words.ts';

export function sharedMemory(pages: number): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
}

/**
 * A memory of one page that an arena was laid out in, with so many buckets: with 2048 its heap lies behind the page.
 */
export function smallArena(buckets: number, version?: number): Pick<ArenaHandle, 'arena' | 'memory'> {
  const memory = sharedMemory(2);
  const words = new AtomicWords(memory);
  found(words, buckets, 2, 0xabcn);
  if (version !== undefined) words.store32(HEADER_VERSION, version);
  const page = sharedMemory(1);
  new Uint8Array(page.buffer).set(new Uint8Array(memory.buffer, 0, 65_536));
  return { arena: (0xabc).toString(16).padStart(16, '0'), memory: page };
}

/** The first page of an arena, under another id: a truncated memory that this realm does not know yet. */
export function cutOff(arena: Arena): Pick<ArenaHandle, 'arena' | 'memory'> {
  const memory = sharedMemory(1);
  const { buffer } = arena.handle.memory;
  new Uint8Array(memory.buffer).set(new Uint8Array(buffer, 0, 65_536));
  new AtomicWords(memory).store64(HEADER_ID, 0xdefn);
  return { arena: (0xdef).toString(16).padStart(16, '0'), memory };
}
