// Pools of equal records: agents, elements, ledgers. An agent claims a record by writing its agent id into the record's
// first word by CAS, so there is no free list that a killed agent could break. A pool never shrinks.

import { BLOCK_SIZE, OWNER, POOL_COUNT, POOL_NEXT, POOL_RECORDS, POOL_STRIDE } from '../kernel/layout.ts';
import { RACED, TAKEN } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import type { Claimant } from './claimant.ts';
import { poolBlocks } from './corrupt.ts';
import { retryOrThrow } from './retry.ts';
import type { Heap } from './heap.ts';
import type { BlockAddress } from '../kernel/addresses.ts';
import { reserveStack } from '../platform/reserve-stack.ts';

/** The data that a claim of a record needs. */
export interface PoolClaimant extends Claimant {
  readonly heap: Heap;
}

/** The number of records in a pool's first block. Each further block holds about as many as all before it. */
const FIRST_RECORDS = 16;

/**
 * One agent's view of a pool. It remembers the place of the last free record that it found, so that claiming many
 * records takes linear time.
 */
export class Pool {
  readonly #head: number;
  readonly #stride: number;
  #block = 0;
  #index = 0;
  /**
   * The pool's newest block at the last count of its records, and their number. The number changes only with this
   * block.
   */
  #countedFrom = 0;
  #total = 0;

  /**
   * `head` is the header word with the address of the pool's newest block. `stride` is the size of a record in bytes.
   */
  constructor(head: number, stride: number) {
    this.#head = head;
    this.#stride = stride;
  }

  /** Claims a free record of a block for the claimant. Returns TAKEN or RACED. */
  protected take({ kernel, id }: PoolClaimant, record: number, _block: number): number {
    return kernel.claim(record, id);
  }

  /** The maximum number of records by which the pool may grow. 0 means that it may not grow. */
  protected mostToAdd(_claimant: PoolClaimant, _total: number): number {
    return Infinity;
  }

  /** Whether the records of a block may serve this claim. */
  protected isFor(_words: Words, _block: number): boolean {
    return true;
  }

  /** Marks a new block. */
  protected mark(_words: Words, _block: BlockAddress): void {
    // Most pools have no marks.
  }

  /** Whether the pool has to grow if none of its `total` records was free. Returns false if some may be free by now. */
  protected mustGrow(_total: number): boolean {
    return true;
  }

  /** Claims a free record, and grows the pool if there is none. Throws `ArenaFullError`. */
  claim(claimant: PoolClaimant): number {
    // No other call can give the record back until the caller has stored its address.
    reserveStack();
    const { words } = claimant;
    for (let tries = 1; ; tries++) {
      const newest = words.load32(this.#head);
      const total = this.#count(words, newest);
      const record = this.#search(claimant, total);
      if (record !== 0) return record;
      if (!this.mustGrow(total)) continue;
      // If several agents find no free record at the same time, one of them grows the pool for all.
      if (words.load32(this.#head) === newest)
        this.#grow(claimant, newest, Math.min(Math.max(FIRST_RECORDS, total), this.mostToAdd(claimant, total)));
      this.#block = 0;
      retryOrThrow(tries);
    }
  }

  #count(words: Words, newest: number): number {
    if (newest !== this.#countedFrom) {
      this.#total = countRecords(words, newest);
      this.#countedFrom = newest;
    }
    return this.#total;
  }

  /** Adds a block of `wanted` records, or of fewer if memory is short. */
  #grow(claimant: PoolClaimant, newest: number, wanted: number): void {
    const { words, kernel, heap } = claimant;
    const block = this.#allocate(claimant, wanted);
    words.put32(block + POOL_COUNT, Math.floor((words.get32(block + BLOCK_SIZE) - POOL_RECORDS) / this.#stride));
    words.put32(block + POOL_STRIDE, this.#stride);
    this.mark(words, block);
    if (kernel.addToPool(this.#head, block, newest) === RACED) heap.free(claimant, block);
  }

  #allocate(claimant: PoolClaimant, wanted: number): BlockAddress {
    try {
      return claimant.heap.allocate(claimant, POOL_RECORDS + wanted * this.#stride);
    } catch (full) {
      if (wanted === 1) throw full;
      return this.#allocate(claimant, wanted >> 1);
    }
  }

  #search(claimant: PoolClaimant, total: number): number {
    const { words } = claimant;
    for (let seen = 0; seen < total; seen++) {
      if (this.#block === 0) {
        this.#block = words.load32(this.#head);
        this.#index = 0;
      }
      if (!this.isFor(words, this.#block)) {
        seen += words.get32(this.#block + POOL_COUNT) - 1;
        this.#block = words.get32(this.#block + POOL_NEXT);
        this.#index = 0;
        continue;
      }
      const block = this.#block;
      const record = block + POOL_RECORDS + this.#index * this.#stride;
      this.#index += 1;
      if (this.#index === words.get32(this.#block + POOL_COUNT)) {
        this.#block = words.get32(this.#block + POOL_NEXT);
        this.#index = 0;
      }
      if (words.load32(record + OWNER) === 0 && this.take(claimant, record, block) === TAKEN) return record;
    }
    return 0;
  }
}

function countRecords(words: Words, newest: number): number {
  let total = 0;
  for (const { count } of poolBlocks(words, newest)) total += count;
  return total;
}
