// The pool of elements.
//
// Before the pool grows, the agent merges tombstones. Each short-lived agent leaves too few tombstones to merge them
// itself.
//
// Async waits cannot exhaust the arena. A thread has any number of async waits, but blocks in one place at a time. So
// the last part of the arena's bytes is reserved: the pool's blocks in this part serve only waits that block. An agent
// does not keep an element of such a block after the wait, because the agent's next wait may be async.

import {
  ELEMENT_STRIDE,
  HEADER_ELEMENT_POOL,
  HEADER_TOP,
  MODE_ASYNC,
  MODE_BLOCKING,
  OWNER,
  POOL_RECORDS,
  POOL_RESERVED,
} from '../kernel/layout.ts';
import type { ElementAddress } from '../kernel/addresses.ts';
import { asElement } from '../kernel/addresses.ts';
import { TAKEN } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import { ArenaFullError } from '../api/errors.ts';
import { compact, type Gatherer } from './compaction.ts';
import { poolBlocks } from '../memory/corrupt.ts';
import { Pool, type PoolClaimant } from '../memory/pool.ts';

/** A pool with fewer elements grows without merging tombstones first. */
const MIN_TO_COMPACT = 512;
/** The part of the arena's bytes that is reserved for primitives and for waits that block. */
const BLOCKING_SHARE = 1 / 8;
/** The number of elements that all waits may share even in a small arena, or in one that is full of other data. */
const MIN_SHARED = 1024;
/** The number of elements by which the pool grows in the reserve. */
const RESERVED_RECORDS = 16;

export class ElementPool extends Pool {
  readonly #context: Gatherer & PoolClaimant;
  #mode: number = MODE_BLOCKING;
  /** Whether the next block is in the reserve. */
  #reserved = false;
  /** The elements of the reserve that this agent has claimed and not returned. */
  readonly borrowed = new Set<number>();

  constructor(context: Gatherer & PoolClaimant) {
    super(HEADER_ELEMENT_POOL, ELEMENT_STRIDE);
    this.#context = context;
  }

  /** Claims an element for a wait of that mode. Throws `ArenaFullError`. */
  claimFor(mode: number): ElementAddress {
    this.#mode = mode;
    return asElement(this.claim(this.#context));
  }

  /** Returns an element that no wait uses to the pool. */
  giveBack(element: number): void {
    this.borrowed.delete(element);
    this.#context.words.store32(element + OWNER, 0);
  }

  protected override take(claimant: PoolClaimant, record: number, block: number): number {
    const taken = super.take(claimant, record, block);
    if (taken === TAKEN && isInReserve(claimant.words, block)) this.borrowed.add(record);
    return taken;
  }

  /**
   * Merges tombstones, and lets the pool grow only if fewer than half of its elements are free afterwards. So merging
   * costs each claim no more than growing does.
   */
  protected override mustGrow(total: number): boolean {
    if (total < MIN_TO_COMPACT) return true;
    compact(this.#context);
    const { words } = this.#context;
    let free = 0;
    for (const { block, count, stride } of poolBlocks(words, words.load32(HEADER_ELEMENT_POOL))) {
      if (!this.isFor(words, block)) continue;
      for (let at = 0; at < count; at++) if (words.load32(block + POOL_RECORDS + at * stride + OWNER) === 0) free += 1;
    }
    return 2 * free < total;
  }

  protected override mostToAdd(_claimant: unknown, total: number): number {
    const { words, heap } = this.#context;
    const bound = heap.mostBytes * (1 - BLOCKING_SHARE);
    const room = Math.floor((bound - words.load32(HEADER_TOP) - POOL_RECORDS) / ELEMENT_STRIDE);
    const shared = Math.max(room, MIN_SHARED - total);
    this.#reserved = shared <= 0;
    if (this.#reserved && this.#mode === MODE_ASYNC) throw tooMany(total);
    return this.#reserved ? RESERVED_RECORDS : shared;
  }

  protected override isFor(words: Words, block: number): boolean {
    return this.#mode !== MODE_ASYNC || !isInReserve(words, block);
  }

  protected override mark(words: Words, block: number): void {
    words.put32(block + POOL_RESERVED, this.#reserved ? 1 : 0);
  }
}

function isInReserve(words: Words, block: number): boolean {
  return words.get32(block + POOL_RESERVED) !== 0;
}

function tooMany(total: number): ArenaFullError {
  return new ArenaFullError(
    `The arena has no room for another async wait: it has ${total} elements, and an eighth of its bytes is kept for primitives and for waits that ` +
      'block. Nothing was changed; create the arena with more maxPages.',
  );
}
