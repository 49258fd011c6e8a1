// Shared words for each slot of a task in flight: which worker took the task, and whether it was given up.
//
//   word            value                                                   written by
//   taken[slot]     number of the worker that took the task; 0: none        the worker, as it takes it (onTake)
//   stopped[slot]   1: the pool waits for it no more                        the pool
//   claim[slot]     which task has the slot                                 claims.ts
//   rings           how many tasks were put into the buffer                 bell.ts

import { Region, type RegionHandle } from '@sluice/core';
import { BLOCK_LINE, contextOf, type Words } from '@sluice/core/internal';
import { Bell } from './bell.ts';
import { Claims } from './claims.ts';

const WORD = 4;
/** Words of a slot. */
const SLOT_WORDS = 3;

export function boardBytes(slots: number): number {
  return (SLOT_WORDS * slots + 1) * WORD;
}

export interface BoardHandle {
  readonly region: RegionHandle;
  readonly slots: number;
}

export class Board {
  readonly handle: BoardHandle;
  readonly bell: Bell;
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
    this.bell = new Bell(words, parking, claims + slots * WORD);
    this.handle = { region: region.handle, slots };
  }

  static from({ region, slots }: BoardHandle): Board {
    return new Board(Region.from(region), slots);
  }

  /** The pool puts a task into the slot, that no worker can know of yet. */
  offer(slot: number, offer: number): void {
    this.#words.store32(this.#taken + slot * WORD, 0);
    this.#words.store32(this.#stopped + slot * WORD, 0);
    this.#claims.offer(slot, offer);
  }

  /** Whether the worker that takes the entry of that offer is to run the task. */
  take(slot: number, offer: number, worker: number): boolean {
    if (!this.#claims.take(slot, offer)) return false;
    this.#words.store32(this.#taken + slot * WORD, worker);
    return true;
  }

  /** Whether no worker had begun to take it; then none does. */
  withdraw(slot: number, offer: number): boolean {
    return this.#claims.withdraw(slot, offer);
  }

  takenBy(slot: number): number {
    return this.#words.load32(this.#taken + slot * WORD);
  }

  /** Whether a task that is there, or was there last, is or was this worker's. */
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
