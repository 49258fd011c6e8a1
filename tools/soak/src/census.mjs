// @ts-check
// What each thread holds: a thread adds to it after it was let in, and subtracts before it leaves. The main thread
// clears what a killed worker held before that worker is recovered. So the sum never exceeds what the primitive may let
// in.
import { heldAt, SLOTS } from './words.mjs';

export class Census {
  #words;
  #at;
  #slot;
  #name;

  /** @param {Int32Array} words @param {{ name: string, subject: number, side?: 0 | 1, slot: number }} place */
  constructor(words, { name, subject, side = 0, slot }) {
    this.#words = words;
    this.#name = name;
    this.#at = heldAt(subject, side, 0);
    this.#slot = slot;
  }

  /** What all threads hold. */
  get total() {
    let sum = 0;
    for (let slot = 0; slot < SLOTS; slot++) sum += Atomics.load(this.#words, this.#at + slot);
    return sum;
  }

  /** How many threads hold something. */
  get threads() {
    let sum = 0;
    for (let slot = 0; slot < SLOTS; slot++) sum += Atomics.load(this.#words, this.#at + slot) > 0 ? 1 : 0;
    return sum;
  }

  /** @param {number} permits */
  add(permits) {
    Atomics.add(this.#words, this.#at + this.#slot, permits);
  }

  /** @param {number} permits */
  remove(permits) {
    Atomics.sub(this.#words, this.#at + this.#slot, permits);
  }

  /** Throws if more is held than may be. @param {number} found @param {number} most */
  expect(found, most) {
    if (found <= most) return;
    const held = Array.from({ length: SLOTS }, (_, slot) => Atomics.load(this.#words, this.#at + slot));
    throw new Error(`${this.#name}: ${found} are inside, and at most ${most} may be (by slot: ${held.join(' ')})`);
  }
}

/**
 * Takes out what a slot holds of all primitives.
 * @param {Int32Array} words
 * @param {number} subjects
 * @param {number} slot
 */
export function clearSlot(words, subjects, slot) {
  for (let subject = 0; subject < subjects; subject++) {
    Atomics.store(words, heldAt(subject, 0, slot), 0);
    Atomics.store(words, heldAt(subject, 1, slot), 0);
  }
}
