// Which task has a slot: one word for each slot, in shared memory.
//
//   word            value                                       written by
//   claim[slot]     generation · QUEUED, BEGUN or WITHDRAWN     the pool (assign, withdraw), the worker that takes the
//                                                               task (take)
//
// Each task in a slot gets a new generation number. The entry of a withdrawn task stays in the buffer. When a worker
// reaches that entry, the slot may hold another task, whose entry comes later in the buffer.
//
// INVARIANTS
//
//   1. A claim leaves QUEUED once: the worker moves it to BEGUN, or the pool moves it to WITHDRAWN.
//   2. A worker does not run an entry if the claim has another generation or is WITHDRAWN.
//   3. If a worker dies between `take` and the step that moves the buffer's position, the next worker takes the entry
//      again. It finds BEGUN with the same generation.

import type { Words } from '@sluice/core/internal';

const WORD = 4;
const QUEUED = 0;
const BEGUN = 1;
const WITHDRAWN = 2;
const STATE_BITS = 2;

/** Generations count up to this number, then from 0 again. A buffer never holds as many entries. */
export const LAST_GENERATION = 2 ** (32 - STATE_BITS) - 1;

export class Claims {
  readonly #words: Words;
  readonly #address: number;

  constructor(words: Words, address: number) {
    this.#words = words;
    this.#address = address;
  }

  /** For the pool: puts a task into the slot. No worker can know of it yet. */
  assign(slot: number, generation: number): void {
    this.#words.store32(this.#at(slot), claimOf(generation, QUEUED));
  }

  /** For the worker that takes the entry of this generation. Returns whether the worker is to run the task. */
  take(slot: number, generation: number): boolean {
    const seen = this.#words.cas32(this.#at(slot), claimOf(generation, QUEUED), claimOf(generation, BEGUN));
    return seen === claimOf(generation, QUEUED) || seen === claimOf(generation, BEGUN);
  }

  /** For the pool: withdraws the task unless a worker has begun to take it. Returns true if no worker runs the task. */
  withdraw(slot: number, generation: number): boolean {
    const seen = this.#words.cas32(this.#at(slot), claimOf(generation, QUEUED), claimOf(generation, WITHDRAWN));
    return seen === claimOf(generation, QUEUED);
  }

  #at(slot: number): number {
    return this.#address + slot * WORD;
  }
}

function claimOf(generation: number, state: number): number {
  return (generation << STATE_BITS) | state;
}
