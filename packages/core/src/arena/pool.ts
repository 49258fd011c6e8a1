// Pools of equal records: agents, elements, ledgers. An agent claims a record by writing its agent id into the record's first word by CAS,
// so there is no free list that a killed agent could break. A pool never shrinks.

import type { Kernel } from '../kernel/kernel.ts';
import type {
  HEADER_AGENT_POOL,
  HEADER_ELEMENT_POOL} from '../kernel/layout.ts';
import {
  BLOCK_SIZE,
  ENTRY_HELD,
  ENTRY_SEM,
  ENTRY_STRIDE,
  ENTRY_TAG,
  HEADER_LEDGER_POOL,
  LEDGER_STRIDE,
  OWNER,
  POOL_COUNT,
  POOL_NEXT,
  POOL_RECORDS,
  POOL_STRIDE,
} from '../kernel/layout.ts';
import { RACED, TAKEN } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import { poolBlocks } from './corrupt.ts';
import { mayRetry } from './retry.ts';
import type { Heap } from './heap.ts';
import { asEntry, asLine, type AgentAddress, type BlockAddress, type ElementAddress, type EntryAddress, type LineAddress } from '../kernel/addresses.ts';
import { reserveStack } from '../reserve-stack.ts';

/** What a claim of a record or a block needs: a context, or an agent that is about to get one. */
export interface Claimant {
  readonly words: Words;
  readonly kernel: Kernel;
  readonly heap: Heap;
  /** The agent's id, or the value of BLOCK_OWNER while it joins. */
  readonly id: number;
}

/** Records of a pool's first block. Each further block holds about as many as all before it. */
const FIRST_RECORDS = 16;

/** One agent's view of a pool. It remembers where it last found a free record, so that claiming many is not quadratic. */
export class Pool {
  readonly #head: number;
  readonly #stride: number;
  #block = 0;
  #index = 0;
  /** The newest block when this agent last counted the records, and their number. It changes only with the newest block. */
  #countedFrom = 0;
  #total = 0;

  /** `head`: the header word with the address of the pool's newest block. `stride`: bytes of a record. */
  constructor(head: number, stride: number) {
    this.#head = head;
    this.#stride = stride;
  }

  /** Claims a free record of a block for the claimant: TAKEN or RACED. */
  protected take({ kernel, id }: Claimant, record: number, _block: number): number {
    return kernel.claim(record, id);
  }

  /** The most records by which the pool may grow. 0: it may not. */
  protected mostToAdd(_claimant: Claimant, _total: number): number {
    return Infinity;
  }

  /** Whether the records of a block are for this claim. */
  protected isFor(_words: Words, _block: number): boolean {
    return true;
  }

  /** What a new block is marked with. */
  protected mark(_words: Words, _block: BlockAddress): void {
    // Most pools have no marks.
  }

  /** Whether the pool has to grow when no record of `total` was free. False: some are free by now. */
  protected mustGrow(_total: number): boolean {
    return true;
  }

  /** Claims a free record, and grows the pool if there is none. Throws `ArenaFullError`. */
  claim(claimant: Claimant): number {
    // Until the caller has noted the record no other call can give it back.
    reserveStack();
    const { words } = claimant;
    for (let tries = 1; ; tries++) {
      const newest = words.load32(this.#head);
      const total = this.#count(words, newest);
      const record = this.#search(claimant, total);
      if (record !== 0) return record;
      if (!this.mustGrow(total)) continue;
      // If several agents find no free record at the same time, one of them grows the pool for all.
      if (words.load32(this.#head) === newest) this.#grow(claimant, newest, Math.min(Math.max(FIRST_RECORDS, total), this.mostToAdd(claimant, total)));
      this.#block = 0;
      mayRetry(tries);
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
  #grow(claimant: Claimant, newest: number, wanted: number): void {
    const { words, kernel, heap } = claimant;
    const block = this.#allocate(claimant, wanted);
    words.put32(block + POOL_COUNT, Math.floor((words.get32(block + BLOCK_SIZE) - POOL_RECORDS) / this.#stride));
    words.put32(block + POOL_STRIDE, this.#stride);
    this.mark(words, block);
    if (kernel.addToPool(this.#head, block, newest) === RACED) heap.free(claimant, block);
  }

  #allocate(claimant: Claimant, wanted: number): BlockAddress {
    try {
      return claimant.heap.allocate(claimant, POOL_RECORDS + wanted * this.#stride);
    } catch (full) {
      if (wanted === 1) throw full;
      return this.#allocate(claimant, wanted >> 1);
    }
  }

  #search(claimant: Claimant, total: number): number {
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

/** What the records of a pool are. */
interface Records {
  readonly [HEADER_AGENT_POOL]: AgentAddress;
  readonly [HEADER_ELEMENT_POOL]: ElementAddress;
  readonly [HEADER_LEDGER_POOL]: number;
}

/** Every record of a pool with its owner's agent id (0 = free), newest block first. */
export function* records<Head extends keyof Records>(words: Words, head: Head): Generator<{ record: Records[Head]; owner: number }> {
  for (const { block, count, stride } of poolBlocks(words, words.load32(head))) {
    for (let index = 0; index < count; index++) {
      const record = block + POOL_RECORDS + index * stride;
      yield { record: record as Records[Head], owner: words.load32(record + OWNER) };
    }
  }
}

/** What a ledger says that its owner holds of a primitive. */
export interface EntryRecord {
  readonly entry: EntryAddress;
  readonly owner: number;
  readonly address: LineAddress;
  /** 0: the entry is free. */
  readonly tag: number;
  readonly held: bigint;
}

/** The entries, open or not, of all ledgers that another agent than `id` has. */
export function* entriesBut(words: Words, id: number): Generator<EntryAddress> {
  for (const { record, owner } of records(words, HEADER_LEDGER_POOL)) {
    if (owner === 0 || owner === id) continue;
    for (let entry = record + ENTRY_STRIDE; entry < record + LEDGER_STRIDE; entry += ENTRY_STRIDE) yield asEntry(entry);
  }
}

/** The entries of all ledgers that have an owner, or of at most `most` ledgers. */
export function* entries(words: Words, most = Infinity): Generator<EntryRecord> {
  let seen = 0;
  for (const { record, owner } of records(words, HEADER_LEDGER_POOL)) {
    if (++seen > most) return;
    if (owner === 0) continue;
    for (let entry = record + ENTRY_STRIDE; entry < record + LEDGER_STRIDE; entry += ENTRY_STRIDE) {
      yield {
        entry: asEntry(entry),
        owner,
        address: asLine(words.get32(entry + ENTRY_SEM)),
        tag: words.get32(entry + ENTRY_TAG),
        held: words.get64(entry + ENTRY_HELD),
      };
    }
  }
}
