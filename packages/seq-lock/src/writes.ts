// The writes of a seq-lock. The owner of the writers' mutex makes each of them.

import type { Words } from '@sluice/core/internal';
import type { Sequence } from './sequence.ts';
import { wordsOf, type SeqValue } from './value.ts';
import type { Fill, Values } from './values.ts';
import type { Writers } from './writers.ts';

export class Writes {
  readonly #writers: Writers;
  readonly #sequence: Sequence;
  readonly #values: Values;
  readonly #words: Words;
  readonly #closed: number;

  /** `closed` is the address of the word CLOSED. */
  constructor(writers: Writers, sequence: Sequence, values: Values, words: Words, closed: number) {
    this.#writers = writers;
    this.#sequence = sequence;
    this.#values = values;
    this.#words = words;
    this.#closed = closed;
  }

  get isClosed(): boolean {
    return this.#words.load32(this.#closed) !== 0;
  }

  close(): void {
    this.#words.store32(this.#closed, 1);
  }

  /** Takes the mutex and replaces the value. Returns false if the timeout elapsed. */
  tryReplace(words: Int32Array, timeoutMs: number): boolean {
    const writers = this.#writers;
    if (timeoutMs === Infinity) writers.lock();
    else if (!writers.tryLock(timeoutMs)) return false;
    try {
      this.replace(words);
    } finally {
      writers.unlock();
    }
    return true;
  }

  /** Replaces the value as `tryReplace` does, by a value of zeros that `fill` has changed. */
  tryFill(fill: Fill, timeoutMs: number): boolean {
    const draft = this.#values.borrow();
    try {
      const words = wordsOf(draft);
      words.fill(0);
      this.#values.call(fill, draft);
      return this.tryReplace(words, timeoutMs);
    } finally {
      this.#values.giveBack(draft);
    }
  }

  /** Changes the value and unlocks, for the owner of the mutex. */
  updateAndUnlock<T>(body: (value: SeqValue) => T): T {
    try {
      // This may fail for lack of memory, as `body` may fail.
      const draft = this.#values.borrow();
      try {
        return this.change(draft, body);
      } finally {
        this.#values.giveBack(draft);
      }
    } finally {
      this.#writers.unlock();
    }
  }

  /** Changes the value, for the owner of the mutex. */
  change<T>(draft: SeqValue, body: (value: SeqValue) => T): T {
    this.#checkOpen();
    const words = wordsOf(draft);
    this.#sequence.load(words);
    const result = this.#values.call(body, draft);
    this.#sequence.replace(words);
    return result;
  }

  /** Replaces the value, for the owner of the mutex. */
  replace(words: Int32Array): void {
    this.#checkOpen();
    this.#sequence.replace(words);
  }

  #checkOpen(): void {
    if (this.isClosed) throw this.#writers.closed();
  }
}
