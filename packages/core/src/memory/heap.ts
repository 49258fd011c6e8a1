// The heap of an arena: blocks of whole 128-byte lines, taken from the free lists or from the end.
//
//   KIND           where the block is                                         leaves that state by
//   KIND_CLAIMED   claimed by the agent BLOCK_OWNER                           publish, addToPool, pushFreeBlock, absorb
//   any primitive  in use                                                     retire
//   KIND_LEAVING   taken out of use by the agent BLOCK_OWNER, which frees it  pushFreeBlock
//   KIND_RETIRED   in the list HEADER_RETIRED: an agent still refers to it    popFreeBlock
//   KIND_FREE      in the free list of its class of sizes                     popFreeBlock
//
// INVARIANTS
//
//   1. The blocks cover the heap without a gap, and the map of block starts (blocks.ts) has the bit of each.
//   2. A block's own word KIND says in which of these states it is, and each transition between two of them is one
//      kernel step. So a block that an agent had claimed when it died names that agent, and its recovery frees the
//      block.
//   3. Lists are stacks whose head carries a count of its changes: no agent waits for another, and an agent that dies
//      leaves no list locked.
//   4. An agent takes a block off its list before it splits or joins it.
//   5. A primitive's memory is reused only when no agent refers to it (references.ts).
//
// FREE BLOCKS ARE JOINED LATE. A freed block goes on its list unchanged. When no list has a block that is large enough,
// and enough blocks were freed since the last join, the agent takes all free blocks off the lists, joins neighbours,
// and puts them back. So the work is proportional to the number of blocks freed.

import { ArenaFullError } from '../api/errors.ts';
import {
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_OWNER,
  BLOCK_SIZE,
  BLOCK_TAG,
  HEADER_FREED_SINCE_JOIN,
  HEADER_HEAP,
  HEADER_RETIRED,
  HEADER_TOP,
  KIND_CLAIMED,
  KIND_LEAVING,
  KIND_RETIRED,
} from '../kernel/layout.ts';
import { NO_ROOM, RACED } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import { blocks, MAX_LINES } from './blocks.ts';
import { corrupt } from './corrupt.ts';
import { retryOrThrow } from './retry.ts';
import { isFragmented, joinFree, putFree, searchFree, pushFreeBlock, takeFree, popFreeBlock } from './free-lists.ts';
import type { Claimant } from './claimant.ts';
import { isReferred, references } from './references.ts';
import type { BlockAddress } from '../kernel/addresses.ts';

export const PAGE_BYTES = 65_536;
/**
 * The number of times that an agent checks whether another agent has put back the blocks that it took off the lists.
 * That agent may be dead.
 */
const MAX_ROUNDS = 100;
/** The maximum number of searches between two checks of the retired blocks. */
const MAX_PATIENCE = 64;

/** Returns the size of a block for `bytes` bytes. */
export function blockBytes(bytes: number): number {
  return Math.ceil(bytes / BLOCK_LINE) * BLOCK_LINE;
}

/** The operations on an arena's memory that the heap needs. */
export interface Growable {
  grow(pages: number): number;
  readonly buffer: ArrayBufferLike;
}

export class Heap {
  readonly #memory: Growable;
  readonly #maxPages: number;
  /** The number of searches left until this agent checks the retired blocks again. */
  #patience = 0;
  /** The number of searches that this agent made before it last checked them. */
  #waited = 0;

  constructor(memory: Growable, maxPages: number) {
    this.#memory = memory;
    this.#maxPages = maxPages;
  }

  /** The current size of the memory in bytes, even after another agent grew it. */
  get bytes(): number {
    return this.#memory.grow(0) * PAGE_BYTES;
  }

  /** Returns a claimed block of at least `bytes` bytes, all zero behind its header. Throws `ArenaFullError`. */
  allocate(claimant: Claimant, bytes: number): BlockAddress {
    const size = blockBytes(bytes);
    if (size > this.#maxPages * PAGE_BYTES) throw this.#full(size);
    const block = this.#search(claimant, size) || this.#extend(claimant, size);
    this.clear(claimant, block, size);
    return block;
  }

  /** The maximum size of the arena in bytes. */
  get mostBytes(): number {
    return this.#maxPages * PAGE_BYTES;
  }

  /** Frees a claimed block that no agent refers to: a block that was not published, or a region's block. */
  free(claimant: Claimant, block: BlockAddress): void {
    const { words } = claimant;
    putFree(claimant, block);
    words.add32(HEADER_FREED_SINCE_JOIN, 1);
  }

  /** Frees a block that was taken out of use. It stays with the retired blocks while an agent refers to it. */
  retire(claimant: Claimant, block: BlockAddress): void {
    const { words } = claimant;
    if (isReferred(references(words), block, words.load32(block + BLOCK_SIZE)))
      pushFreeBlock(claimant, HEADER_RETIRED, block, KIND_RETIRED);
    else this.free(claimant, block);
  }

  /** Takes a free block. Returns 0 if none is large enough. */
  #search(claimant: Claimant, size: number): BlockAddress | 0 {
    const { words } = claimant;
    const found = takeFree(claimant, size);
    if (found !== 0) return found;
    const freed = this.#isTimeToSort(words) && this.#sortRetired(claimant);
    if (!freed && !isFragmented(words)) return 0;
    joinFree(claimant);
    return takeFree(claimant, size);
  }

  /**
   * Whether to check the retired blocks now. A sleeping thread may keep a block retired for long, so the agent checks
   * less often after each check that frees nothing.
   */
  #isTimeToSort(words: Words): boolean {
    if (words.load32(HEADER_RETIRED) === 0) return false;
    this.#patience -= 1;
    return this.#patience < 0;
  }

  /** Frees the retired blocks that no agent refers to any more. Returns whether there were retired blocks. */
  #sortRetired(claimant: Claimant): boolean {
    const { words } = claimant;
    const hand: BlockAddress[] = [];
    for (
      let block = popFreeBlock(claimant, HEADER_RETIRED, KIND_LEAVING);
      block !== 0;
      block = popFreeBlock(claimant, HEADER_RETIRED, KIND_LEAVING)
    ) {
      hand.push(block);
    }
    const found = references(words);
    let freed = false;
    for (const block of hand) {
      if (isReferred(found, block, words.load32(block + BLOCK_SIZE)))
        pushFreeBlock(claimant, HEADER_RETIRED, block, KIND_RETIRED);
      else {
        this.free(claimant, block);
        freed = true;
      }
    }
    this.#waited = freed ? 0 : Math.min(MAX_PATIENCE, 2 * this.#waited + 1);
    this.#patience = this.#waited;
    return freed;
  }

  /** Sets the block to zero behind its header. */
  protected clear(_claimant: Claimant, block: BlockAddress, size: number): void {
    // Growing by 0 renews the buffer, which may otherwise be older than another agent's growth of the memory.
    this.#memory.grow(0);
    new Uint8Array(this.#memory.buffer, block + 16, size - 16).fill(0);
  }

  #extend(claimant: Claimant, size: number): BlockAddress {
    const { kernel, id, words } = claimant;
    for (let tries = 1; ; tries++) {
      const top = words.load32(HEADER_TOP);
      if (top < words.get32(HEADER_HEAP) || top > this.bytes) throw corrupt(`its heap ends at ${top}`);
      const block = kernel.extend(id, size, this.bytes);
      if (block !== NO_ROOM && block !== RACED) return block;
      if (block === NO_ROOM && !this.#grow(words.load32(HEADER_TOP) + size)) return this.#findAnywhere(claimant, size);
      retryOrThrow(tries);
    }
  }

  /**
   * For an arena that cannot grow: checks every free block, and waits for blocks that another agent is joining at this
   * moment.
   */
  #findAnywhere(claimant: Claimant, size: number): BlockAddress {
    const { words } = claimant;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const isComplete = !isAnyInOtherHands(claimant);
      if (words.load32(HEADER_RETIRED) !== 0) this.#sortRetired(claimant);
      joinFree(claimant);
      const found = searchFree(claimant, size);
      if (found !== 0) return found;
      if (isComplete) break;
    }
    throw this.#full(words.load32(HEADER_TOP) + size);
  }

  /** Grows the memory until it is large enough. Returns false if `maxPages` does not allow it. */
  #grow(needed: number): boolean {
    const pages = this.bytes / PAGE_BYTES;
    const least = Math.ceil(needed / PAGE_BYTES) - pages;
    // Double the size, so that a growing arena moves to a new buffer only rarely. Two agents that double it at the same
    // time may ask for more than `maxPages`. Then one growth fails, and the size is checked again.
    const doubled = Math.max(least, Math.min(pages, this.#maxPages - pages));
    return least <= 0 || this.#tryGrow(doubled) || this.#tryGrow(least) || this.bytes >= needed;
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

/** Clears the tags of all lines of a block that may have one. */
export function clearTags(words: Words, block: BlockAddress): void {
  const bytes = Math.min(words.load32(block + BLOCK_SIZE), MAX_LINES * BLOCK_LINE);
  for (let line = BLOCK_LINE; line < bytes; line += BLOCK_LINE) words.store32(block + line + BLOCK_TAG, 0);
}

/** Whether the block at `address` is still the primitive that got `tag`, open or closed. */
export function isInUse(words: Words, address: number, tag: number): boolean {
  const now = words.load32(address + BLOCK_TAG);
  return now === tag || now === -tag;
}

function isAnyInOtherHands({ words, id }: Claimant): boolean {
  for (const block of blocks(words)) {
    const kind = words.load32(block + BLOCK_KIND);
    if ((kind === KIND_CLAIMED || kind === KIND_LEAVING) && words.load32(block + BLOCK_OWNER) !== id) return true;
  }
  return false;
}

/** Whether the agent with that id has claimed the block. The agent may still be joining. */
export function isInHand(words: Words, block: BlockAddress, id: number): boolean {
  const kind = words.load32(block + BLOCK_KIND);
  return (kind === KIND_CLAIMED || kind === KIND_LEAVING) && words.load32(block + BLOCK_OWNER) === id;
}
