// Shared words for the slot of each task in flight: which worker took the task, and whether the task was cancelled.
//
//   word            value                                                   written by
//   taken[slot]     number of the worker that took the task; 0: none        the worker, as it takes it (onTake)
//   stopped[slot]   1: the pool no longer waits for the task                the pool
//   claim[slot]     which task has the slot                                 claims.ts
//   rings           how many tasks were announced                           bell.ts
//   post            the worker that waits in the buffer's line              post.ts

import { Region, type RegionHandle } from '@sluice/core';
import { BLOCK_LINE, contextOf, type Words } from '@sluice/core/internal';
import { Bell } from './bell.ts';
import { Claims } from './claims.ts';
import { Post } from './post.ts';

const WORD = 4;
/** The number of words per slot. */
const SLOT_WORDS = 3;

export function boardBytes(slots: number): number {
  return (SLOT_WORDS * slots + 2) * WORD;
}

export interface BoardHandle {
  readonly region: RegionHandle;
  readonly slots: number;
}

export class Board {
  readonly handle: BoardHandle;
  readonly bell: Bell;
  readonly post: Post;
  readonly #region: Region;
  readonly #words: Words;
  readonly #taken: number;
  readonly #stopped: number;
  readonly #claims: Claims;

  constructor(region: Region, slots: number) {
    this.#region = region;
    const { words, parking } = contextOf(region.arena);
    this.#words = words;
    this.#taken = region.handle.address + BLOCK_LINE;
    this.#stopped = this.#taken + slots * WORD;
    const claims = this.#stopped + slots * WORD;
    this.#claims = new Claims(words, claims);
    const rings = claims + slots * WORD;
    this.bell = new Bell(words, parking, rings);
    this.post = new Post(words, rings + WORD, this.bell);
    this.handle = { region: region.handle, slots };
  }

  static from({ region, slots }: BoardHandle): Board {
    return new Board(Region.from(region), slots);
  }

  /** Called by the pool: puts a task into the slot. No worker can know of it yet. */
  offer(slot: number, offer: number): void {
    this.#words.store32(this.#taken + slot * WORD, 0);
    this.#words.store32(this.#stopped + slot * WORD, 0);
    this.#claims.offer(slot, offer);
  }

  /** For the worker that takes the entry with this offer: returns whether it is to run the task. */
  take(slot: number, offer: number, worker: number): boolean {
    if (!this.#claims.take(slot, offer)) return false;
    this.#words.store32(this.#taken + slot * WORD, worker);
    return true;
  }

  /** Withdraws the task unless a worker has begun to take it. Returns whether it did; then no worker runs it. */
  withdraw(slot: number, offer: number): boolean {
    return this.#claims.withdraw(slot, offer);
  }

  takenBy(slot: number): number {
    return this.#words.load32(this.#taken + slot * WORD);
  }

  /** Whether this worker took the task that a slot holds, or held last. */
  hasTaken(worker: number): boolean {
    for (let slot = 0; slot < this.handle.slots; slot++) if (this.takenBy(slot) === worker) return true;
    return false;
  }

  stop(slot: number): void {
    this.#words.store32(this.#stopped + slot * WORD, 1);
  }

  isStopped(slot: number): boolean {
    return this.#words.load32(this.#stopped + slot * WORD) === 1;
  }

  free(): void {
    this.#region.free();
  }
}
