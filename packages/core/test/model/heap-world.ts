// A world with a heap: semaphores whose blocks are freed and used again, and free blocks behind the tables.

import type { Context, Words } from '@sluice/model';
import * as layout from '../../src/kernel/layout.ts';
import { LISTS_BYTES, listOf } from '../../src/memory/free-lists.ts';
import { PAGE_BYTES } from '../../src/memory/heap.ts';
import type * as Entry from './entry.ts';
import { END, layBlocks, semaphoreAddress, type Laid } from './places.ts';
import { World, type Core, type Setup } from './world.ts';

const {
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_NEXT,
  BLOCK_SIZE,
  HEADER_FREED,
  HEADER_HEAP,
  HEADER_LISTS,
  HEADER_RETIRED,
  HEADER_TOP,
} = layout;
const { KIND_CLAIMED, KIND_FREE, KIND_LEAVING, KIND_RETIRED, KIND_SEMAPHORE } = layout;

const LISTS = Math.ceil(END / BLOCK_LINE) * BLOCK_LINE;
/** The start of the heap: first the blocks that are free at the start, then the blocks allocated from its end. */
export const HEAP = LISTS + LISTS_BYTES;
/** The size of a list in bytes: a 64-bit head. */
const LIST_BYTES = 8;
const SPARE_LINES = 8;

export interface HeapSetup extends Setup {
  /** The numbers of lines of the free blocks behind the tables, in order. */
  readonly free?: readonly number[];
  /** The number of lines behind the heap, for blocks allocated from its end. */
  readonly spare?: number;
}

export class HeapWorld extends World {
  readonly #free: readonly number[];
  override readonly bytes: number;

  constructor(core: Core, setup: HeapSetup) {
    super(core, setup);
    this.#free = setup.free ?? [];
    this.bytes = this.#top + (setup.spare ?? SPARE_LINES) * BLOCK_LINE;
  }

  get #top(): number {
    return HEAP + this.#free.reduce((sum, lines) => sum + lines * BLOCK_LINE, 0);
  }

  override layOut(words: Words): void {
    super.layOut(words);
    const semaphores = this.setup.permits.map(
      (_, index): Laid => [semaphoreAddress(index), BLOCK_LINE, KIND_SEMAPHORE],
    );
    let end = HEAP;
    const free = this.#free.map(
      (lines): Laid => [(end += lines * BLOCK_LINE) - lines * BLOCK_LINE, lines * BLOCK_LINE, KIND_FREE],
    );
    layBlocks(words, [...semaphores, ...free]);
    words.put32(HEADER_HEAP, semaphoreAddress(0));
    words.put32(HEADER_TOP, this.#top);
    words.put32(HEADER_LISTS, LISTS);
    words.put32(HEADER_FREED, free.length);
    for (const [block, size] of free) {
      const head = LISTS + LIST_BYTES * listOf(size);
      words.put32(block + BLOCK_NEXT, words.get32(head));
      words.put32(head, block);
    }
  }

  protected override heap(ctx?: Context): Entry.Heap {
    return heapOver(this.core, this.bytes, ctx?.words);
  }

  /**
   * Checks that each block of the heap is in exactly one place and no bytes are lost. `held` are blocks that living
   * agents hold.
   */
  checkHeap(words: Words, held: readonly number[] = []): string | undefined {
    const listed = [...this.#onLists(words)];
    if (new Set(listed).size !== listed.length) return `a block is on the lists twice: ${listed.join(', ')}`;
    let end = HEAP;
    let free = 0;
    for (const block of this.core.blocks(words)) {
      const kind = words.load32(block + BLOCK_KIND);
      if (kind === KIND_FREE) free += 1;
      if ((kind === KIND_FREE || kind === KIND_RETIRED) !== listed.includes(block))
        return `block ${block} has kind ${kind}, and the lists have ${listed.join(', ')}`;
      if ((kind === KIND_CLAIMED || kind === KIND_LEAVING) && !held.includes(block))
        return `block ${block} is lost in the hand of agent ${words.load32(block + layout.BLOCK_OWNER)}`;
      if (block < HEAP) continue;
      if (block !== end) return `the bytes from ${end} to ${block} belong to no block`;
      end = block + words.load32(block + BLOCK_SIZE);
    }
    if (end !== words.load32(HEADER_TOP))
      return `the heap ends at ${words.load32(HEADER_TOP)}, its last block at ${end}`;
    return free === words.load32(HEADER_FREED)
      ? undefined
      : `${free} blocks are free, ${words.load32(HEADER_FREED)} are counted`;
  }

  *#onLists(words: Words): Generator<number> {
    for (let head = LISTS; head < HEAP; head += LIST_BYTES) yield* this.#onList(words, head);
    yield* this.#onList(words, HEADER_RETIRED);
  }

  *#onList(words: Words, head: number): Generator<number> {
    for (
      let block = words.load32(head), count = 0;
      block !== 0 && count < 64;
      block = words.load32(block + BLOCK_NEXT), count++
    )
      yield block;
  }
}

/** Returns the real heap. Its accesses to the buffer go through the explorer's words. */
function heapOver(core: Core, bytes: number, words: Words | undefined): Entry.Heap {
  class ModelHeap extends core.Heap {
    override get bytes(): number {
      return bytes;
    }
    protected override clear(_claimant: unknown, block: number, size: number): void {
      for (let at = 16; at < size; at += 8) words?.put64(block + at, 0n);
    }
  }
  const memory = {
    buffer: new ArrayBuffer(0),
    grow: (pages: number): number => {
      if (pages > 0) throw new RangeError('The model has no more memory.');
      return Math.ceil(bytes / PAGE_BYTES);
    },
  };
  return new ModelHeap(memory, 1);
}
