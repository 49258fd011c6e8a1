// Shared words for each slot of a task in flight: which worker took the task, and whether it was given up.
//
//   word            value                                                   written by
//   claim[slot]     offer · QUEUED, BEGUN or WITHDRAWN                      the pool (offer, withdraw), the worker that takes it (take)
//   taken[slot]     number of the worker that took the task; 0: none        the worker, as it takes it (onTake)
//   stopped[slot]   1: the pool waits for it no more                        the pool
//
// Each task that comes into a slot is another offer. The entry of a task that was withdrawn stays in the buffer, and its slot may have
// a task already that stands behind it. `claim` says whose the slot is: from QUEUED either the worker or the pool moves it on, never both.

import { Region, type RegionHandle } from '@sluice/core';
import { BLOCK_LINE, seatOf, type Words } from '@sluice/core/internal';

const WORD = 4;
/** Words of a slot. */
export const SLOT_WORDS = 3;

const QUEUED = 0;
const BEGUN = 1;
const WITHDRAWN = 2;
const OFFER_SHIFT = 2;

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
  readonly #claim: number;

  constructor(region: Region, slots: number) {
    this.#region = region;
    this.#words = seatOf(region.arena).words;
    this.#taken = region.handle.address + BLOCK_LINE;
    this.#stopped = this.#taken + slots * WORD;
    this.#claim = this.#stopped + slots * WORD;
    this.handle = { region: region.handle, slots };
  }

  static from({ region, slots }: BoardHandle): Board {
    return new Board(Region.from(region), slots);
  }

  /** The pool puts a task into the slot, that no worker can know of yet. */
  offer(slot: number, offer: number): void {
    this.#words.store32(this.#taken + slot * WORD, 0);
    this.#words.store32(this.#stopped + slot * WORD, 0);
    this.#words.store32(this.#claim + slot * WORD, claimOf(offer, QUEUED));
  }

  /** Whether the task of that offer is still there. BEGUN: another worker was about to take it, and died before it had. */
  take(slot: number, offer: number, worker: number): boolean {
    const queued = claimOf(offer, QUEUED);
    const begun = claimOf(offer, BEGUN);
    const seen = this.#words.cas32(this.#claim + slot * WORD, queued, begun);
    if (seen !== queued && seen !== begun) return false;
    this.#words.store32(this.#taken + slot * WORD, worker);
    return true;
  }

  /** Whether no worker had begun to take it; then none does. */
  withdraw(slot: number, offer: number): boolean {
    const queued = claimOf(offer, QUEUED);
    return this.#words.cas32(this.#claim + slot * WORD, queued, claimOf(offer, WITHDRAWN)) === queued;
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

/** The upper bits of an offer are dropped: so many entries are never in the buffer at once. */
function claimOf(offer: number, state: number): number {
  return (offer << OFFER_SHIFT) | state;
}
