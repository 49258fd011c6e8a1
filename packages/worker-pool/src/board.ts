// Shared words for each task in flight: which worker took it, and whether it was given up.
//
//   word            value                                                   written by
//   taken[slot]     number of the worker that took the task; 0: none        the worker, as it takes it (onTake)
//   stopped[slot]   1: nobody waits for it any more                         the pool

import { Region, type RegionHandle } from '@sluice/core';

export interface BoardHandle {
  readonly region: RegionHandle;
  readonly slots: number;
}

export class Board {
  readonly handle: BoardHandle;
  readonly #region: Region;
  readonly #words: Int32Array;
  readonly #slots: number;

  constructor(region: Region, slots: number) {
    this.#region = region;
    this.#words = region.int32;
    this.#slots = slots;
    this.handle = { region: region.handle, slots };
  }

  static from({ region, slots }: BoardHandle): Board {
    return new Board(Region.from(region), slots);
  }

  /** For a new task. */
  clear(slot: number): void {
    Atomics.store(this.#words, slot, 0);
    Atomics.store(this.#words, this.#slots + slot, 0);
  }

  take(slot: number, worker: number): void {
    Atomics.store(this.#words, slot, worker);
  }

  takenBy(slot: number): number {
    return Atomics.load(this.#words, slot);
  }

  stop(slot: number): void {
    Atomics.store(this.#words, this.#slots + slot, 1);
  }

  isStopped(slot: number): boolean {
    return Atomics.load(this.#words, this.#slots + slot) === 1;
  }

  free(): void {
    this.#region.free();
  }
}
