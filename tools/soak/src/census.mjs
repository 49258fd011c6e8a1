// @ts-check
// Counts what each thread holds: a thread adds after its admission and subtracts before it leaves. The main thread
// clears the count of a killed worker before that worker is recovered. So the sum never exceeds the limit of the
// primitive.
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

  /** Returns the sum of all threads. */
  get total() {
    let sum = 0;
    for (let slot = 0; slot < SLOTS; slot++) sum += Atomics.load(this.#words, this.#at + slot);
    return sum;
  }

  /** Returns the number of threads that hold something. */
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

  /** Throws if more is held than allowed. @param {number} found @param {number} most */
  expect(found, most) {
    if (found <= most) return;
    const held = Array.from({ length: SLOTS }, (_, slot) => Atomics.load(this.#words, this.#at + slot));
    throw new Error(`${this.#name}: ${found} are held, but at most ${most} may be (by slot: ${held.join(' ')})`);
  }
}

/**
 * Clears the counts of a slot for all primitives.
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
