// Which task has a slot: one word for each slot, in shared memory.
//
//   word            value                                       written by
//   claim[slot]     offer · QUEUED, BEGUN or WITHDRAWN          the pool (offer, withdraw), the worker that takes the task (take)
//
// Each task that comes into a slot is another offer. The entry of a task that was withdrawn stays in the buffer, and by the time at which a
// worker comes to it its slot may have another task, whose entry stands behind it.
//
// INVARIANTS
//
//   1. A claim leaves QUEUED once: the worker moves it to BEGUN, or the pool moves it to WITHDRAWN.
//   2. A worker that takes an entry while the claim names another offer, or is WITHDRAWN, does not run it.
//   3. A worker may die between `take` and the step that moves the buffer's position. Then the next worker takes the entry again, and finds
//      BEGUN with the same offer.

import type { Words } from '@sluice/core/internal';

const WORD = 4;
const QUEUED = 0;
const BEGUN = 1;
const WITHDRAWN = 2;
const STATE_BITS = 2;

/** Offers count up to here, then from 0 again. A buffer never holds as many entries. */
export const LAST_OFFER = 2 ** (32 - STATE_BITS) - 1;

export class Claims {
  readonly #words: Words;
  readonly #address: number;

  constructor(words: Words, address: number) {
    this.#words = words;
    this.#address = address;
  }

  /** The pool puts a task into the slot. No worker can know of it yet. */
  offer(slot: number, offer: number): void {
    this.#words.store32(this.#at(slot), claimOf(offer, QUEUED));
  }

  /** For a worker that takes the entry of that offer: whether the task is to be run. */
  take(slot: number, offer: number): boolean {
    const seen = this.#words.cas32(this.#at(slot), claimOf(offer, QUEUED), claimOf(offer, BEGUN));
    return seen === claimOf(offer, QUEUED) || seen === claimOf(offer, BEGUN);
  }

  /** For the pool: whether no worker has begun to take the task. Then none runs it. */
  withdraw(slot: number, offer: number): boolean {
    const seen = this.#words.cas32(this.#at(slot), claimOf(offer, QUEUED), claimOf(offer, WITHDRAWN));
    return seen === claimOf(offer, QUEUED);
  }

  #at(slot: number): number {
    return this.#address + slot * WORD;
  }
}

function claimOf(offer: number, state: number): number {
  return (offer << STATE_BITS) | state;
}
