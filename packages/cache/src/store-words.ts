// The words of a store, by their position in it: one word, or two for a whole number from 0 to 2^53.

import type { StoreMemory } from './chunks.ts';
import { CLOCK, TIME } from './layout.ts';

export class StoreWords {
  readonly #words: StoreMemory['words'];
  readonly #at: number;

  constructor({ words, at }: StoreMemory) {
    this.#words = words;
    this.#at = at;
  }

  get(word: number): number {
    return this.#words.get32(this.#at + word);
  }

  put(word: number, value: number): void {
    this.#words.put32(this.#at + word, value);
  }

  long(word: number): number {
    return longAt(this.#words, this.#at + word);
  }

  putLong(word: number, value: number): void {
    putLong(this.#words, this.#at + word, value);
  }

  add(counter: number, more: number): void {
    this.putLong(counter, this.long(counter) + more);
  }

  /** Returns a number that is greater than all before it. */
  tick(): number {
    const next = this.long(CLOCK) + 1;
    this.putLong(CLOCK, next);
    return next;
  }

  /** Returns the latest time that any agent has seen. The clocks of two threads may differ, by hours after a sleep. */
  timeOf(now: number): number {
    const seen = this.long(TIME);
    const whole = Math.floor(now);
    if (whole <= seen) return Math.max(seen, now);
    this.putLong(TIME, whole);
    return now;
  }
}

/** Returns the number in the two words at an address. */
export function longAt(words: Pick<StoreMemory['words'], 'get32'>, address: number): number {
  return (words.get32(address + 4) >>> 0) * 2 ** 32 + (words.get32(address) >>> 0);
}

/** Writes a number to the two words at an address. */
export function putLong(words: Pick<StoreMemory['words'], 'put32'>, address: number, value: number): void {
  words.put32(address, value | 0);
  words.put32(address + 4, Math.floor(value / 2 ** 32));
}
