// Which task has a slot: one word for each slot, in shared memory.
//
//   word            value                                       written by
//   claim[slot]     offer · QUEUED, BEGUN or WITHDRAWN          the pool (offer, withdraw), the worker that takes the task (take)
//
// Each task that is put into a slot gets a new offer number. The entry of a withdrawn task stays in the buffer. When a worker reaches it,
// the slot may hold another task, whose entry comes later in the buffer.
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

/** Offers count up to this number, then from 0 again. A buffer never holds as many entries. */
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

  /** For a worker that takes the entry with this offer: returns whether it is to run the task. */
  take(slot: number, offer: number): boolean {
    const seen = this.#words.cas32(this.#at(slot), claimOf(offer, QUEUED), claimOf(offer, BEGUN));
    return seen === claimOf(offer, QUEUED) || seen === claimOf(offer, BEGUN);
  }

  /** For the pool: withdraws the task unless a worker has begun to take it. Returns whether it did; then no worker runs it. */
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
