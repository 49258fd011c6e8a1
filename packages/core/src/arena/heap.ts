// The heap of an arena: blocks of whole 128-byte lines, taken from the end or reused at exactly their size.

import { ArenaFullError } from '../errors.ts';
import { BLOCK_LINE, BLOCK_SIZE, BLOCK_TAG, HEADER_FREED, HEADER_HEAP, HEADER_TAGS, HEADER_TOP } from '../kernel/layout.ts';
import { FULL, RACED, TAKEN } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import { checkSize, corrupt } from './corrupt.ts';
import type { Claimant } from './pool.ts';

export const PAGE_BYTES = 65_536;
/** Up to here sizes are whole lines; above they are powers of two, with or without a header, so that freed blocks find a new use. */
const EXACT_BYTES = 2048;
const HEADER_BYTES = 1024;

/** The bytes that a block of `bytes` takes. */
export function blockBytes(bytes: number): number {
  const lines = Math.ceil(bytes / BLOCK_LINE) * BLOCK_LINE;
  if (lines <= EXACT_BYTES) return lines;
  const power = 2 ** Math.ceil(Math.log2(lines));
  return lines <= power / 2 + HEADER_BYTES ? power / 2 + HEADER_BYTES : power;
}

/** The memory under an arena, as far as the heap needs it. */
export interface Growable {
  grow(pages: number): number;
  readonly buffer: ArrayBufferLike;
}

export class Heap {
  readonly #memory: Growable;
  readonly #maxPages: number;
  /** Blocks that this agent freed, by size: tried first, so that create and free in turn need no search. */
  readonly #freed = new Map<number, number[]>();

  constructor(memory: Growable, maxPages: number) {
    this.#memory = memory;
    this.#maxPages = maxPages;
  }

  /** Bytes that the memory has now, also after another agent grew it. */
  get bytes(): number {
    return this.#memory.grow(0) * PAGE_BYTES;
  }

  /** A claimed block of at least `bytes`, all zero behind its header. Throws `ArenaFullError`. */
  allocate(claimant: Claimant, bytes: number): number {
    const size = blockBytes(bytes);
    if (size > this.#maxPages * PAGE_BYTES) throw this.#full(size);
    return this.#reuse(claimant, size) ?? this.#extend(claimant, size);
  }

  /** Gives a claimed block back; a primitive is claimed by retiring it. */
  free({ words, kernel }: Claimant, block: number): void {
    const size = words.load32(block + BLOCK_SIZE);
    const freed = this.#freed.get(size) ?? [];
    this.#freed.set(size, freed);
    freed.push(block);
    kernel.freeBlock(block);
  }

  #reuse(claimant: Claimant, size: number): number | undefined {
    const { words, kernel, id } = claimant;
    const isOurs = (block: number): boolean => kernel.reuse(id, block, size) === TAKEN;
    if (words.load32(HEADER_FREED) <= 0) return undefined;
    const freed = this.#freed.get(size) ?? [];
    for (let block = freed.pop(); block !== undefined; block = freed.pop()) {
      if (isOurs(block)) return this.#clear(block, size);
    }
    for (const block of blocks(words)) if (isOurs(block)) return this.#clear(block, size);
    return undefined;
  }

  #clear(block: number, size: number): number {
    // Growing by nothing: else the buffer may be one of before another agent grew the memory.
    this.#memory.grow(0);
    new Uint8Array(this.#memory.buffer, block + 16, size - 16).fill(0);
    return block;
  }

  #extend({ kernel, id, words }: Claimant, size: number): number {
    for (;;) {
      const top = words.load32(HEADER_TOP);
      if (top < words.get32(HEADER_HEAP) || top > this.bytes) throw corrupt(`its heap ends at ${top}`);
      const block = kernel.extend(id, size, this.bytes);
      if (block === FULL) this.#grow(words.load32(HEADER_TOP) + size);
      else if (block !== RACED) return block;
    }
  }

  #grow(needed: number): void {
    const pages = this.bytes / PAGE_BYTES;
    const least = Math.ceil(needed / PAGE_BYTES) - pages;
    // Doubling, so that a growing arena is moved to few new buffers. Another agent may grow it at the same time: then
    // this fails for the bound, and the caller looks again what is there.
    const doubled = Math.max(least, Math.min(pages, this.#maxPages - pages));
    if (least <= 0 || this.#tryGrow(doubled) || this.#tryGrow(least) || this.bytes >= needed) return;
    throw this.#full(needed);
  }

  #full(needed: number): ArenaFullError {
    return new ArenaFullError(
      `The arena is full: ${needed} bytes would be needed, ${this.bytes} of at most ` +
        `${this.#maxPages * PAGE_BYTES} are there (maxPages ${this.#maxPages}). Nothing was changed.`,
    );
  }

  #tryGrow(pages: number): boolean {
    try {
      this.#memory.grow(pages);
      return true;
    } catch {
      return false;
    }
  }
}

/** Looks at a block that another agent is taking from the end at this moment: it writes the size within one kernel step. */
const LOOKS = 1000;

/** The addresses of all blocks, free ones too. Returns whether it came to the end: a block may be on its way in (LOOKS). */
export function* blocks(words: Words): Generator<number, boolean> {
  const top = words.load32(HEADER_TOP);
  for (let block = words.get32(HEADER_HEAP); block < top; ) {
    let size = words.load32(block + BLOCK_SIZE);
    for (let looks = 1; size === 0 && looks < LOOKS; looks++) size = words.load32(block + BLOCK_SIZE);
    if (size === 0) return false;
    yield block;
    block += checkSize(words, block, size);
  }
  return true;
}

/** Visits all blocks: whether it came to the end. */
export function visitBlocks(words: Words, visit: (block: number) => void): boolean {
  const all = blocks(words);
  let next = all.next();
  for (; next.done !== true; next = all.next()) visit(next.value);
  return next.value;
}

/** A tag that no living primitive of the arena has: positive, and new for the next 2^31 creations. */
export function newTag(words: Words): number {
  const tag = (words.add32(HEADER_TAGS, 1) + 1) & 0x7fffffff;
  return tag === 0 ? newTag(words) : tag;
}

/** The most lines of a block: in those behind the first there may be semaphores with tags of their own (of a capacitor, 64 lanes). */
const TAGGED_LINES = 65;

/** Takes the tags off all lines of a claimed block that can have one. */
export function clearTags(words: Words, block: number): void {
  const bytes = Math.min(words.load32(block + BLOCK_SIZE), TAGGED_LINES * BLOCK_LINE);
  for (let line = BLOCK_LINE; line < bytes; line += BLOCK_LINE) words.store32(block + line + BLOCK_TAG, 0);
}

/** Whether the block at `address` still is what `tag` was given to; a closed one is. */
export function isInUse(words: Words, address: number, tag: number): boolean {
  const now = words.load32(address + BLOCK_TAG);
  return now === tag || now === -tag;
}
