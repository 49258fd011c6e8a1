// The memory of a table, by 32-bit word. The model explorer has a memory of its own.

export interface WordMemory {
  load(word: number): number;
  store(word: number, value: number): void;
  /** Adds to a word. Returns its old value. */
  add(word: number, count: number): number;
  /** Stores `value` if the word is `expected`. Returns its old value. */
  replace(word: number, expected: number, value: number): number;
  /** Copies bytes out of the words from `word` on. No other thread writes them. */
  read(word: number, length: number): Uint8Array;
  /** Copies bytes into the words from `word` on. Another thread sees them after a later `store`. */
  write(word: number, bytes: Uint8Array): void;
}

export class SharedTableMemory implements WordMemory {
  readonly #buffer: SharedArrayBuffer;
  readonly #words: Int32Array;

  constructor(buffer: SharedArrayBuffer) {
    this.#buffer = buffer;
    this.#words = new Int32Array(buffer);
  }

  load(word: number): number {
    return Atomics.load(this.#words, word);
  }

  store(word: number, value: number): void {
    Atomics.store(this.#words, word, value);
  }

  add(word: number, count: number): number {
    return Atomics.add(this.#words, word, count);
  }

  replace(word: number, expected: number, value: number): number {
    return Atomics.compareExchange(this.#words, word, expected, value);
  }

  read(word: number, length: number): Uint8Array {
    // A decoder of text takes no shared memory.
    return new Uint8Array(this.#buffer, word * 4, length).slice();
  }

  write(word: number, bytes: Uint8Array): void {
    new Uint8Array(this.#buffer, word * 4, bytes.length).set(bytes);
  }
}
