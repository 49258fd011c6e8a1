// Shared words for each task in flight: which worker took it, and whether it was given up.
//
//   word            value                                                   written by
//   taken[slot]     number of the worker that took the task; 0: none        the worker, as it takes it (onTake)
//   stopped[slot]   1: nobody waits for it any more                         the pool

import { Region, type RegionHandle } from '@sluice/core';
import { BLOCK_LINE, seatOf, type Words } from '@sluice/core/internal';

const WORD = 4;

export interface BoardHandle {
  readonly region: RegionHandle;
  readonly slots: number;
}

export class Board {
  readonly handle: BoardHandle;
  readonly #region: Region;
  readonly #words: Words;
  readonly #taken: number;
  readonly #stopped: number;

  constructor(region: Region, slots: number) {
    this.#region = region;
    this.#words = seatOf(region.arena).words;
    this.#taken = region.handle.address + BLOCK_LINE;
    this.#stopped = this.#taken + slots * WORD;
    this.handle = { region: region.handle, slots };
  }

  static from({ region, slots }: BoardHandle): Board {
    return new Board(Region.from(region), slots);
  }

  /** For a new task. */
  clear(slot: number): void {
    this.#words.store32(this.#taken + slot * WORD, 0);
    this.#words.store32(this.#stopped + slot * WORD, 0);
  }

  take(slot: number, worker: number): void {
    this.#words.store32(this.#taken + slot * WORD, worker);
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
