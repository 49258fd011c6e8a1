// The model's memory: words that remember how to undo each write and keep a 64-bit hash of all contents up to date.

import { join } from './wide.ts';

function scramble(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

export class Memory {
  readonly int32: Int32Array;
  /** The two halves of the hash: an exclusive or over all words, so that one write updates it. */
  hashA = 0;
  hashB = 0;
  /** Moves on with each change; undoing moves it back. */
  mark = 0;
  /** For each change four numbers: the word, what it held, and both halves of the hash before. */
  #journal = new Int32Array(4096);
  readonly #saltA: Int32Array;
  readonly #saltB: Int32Array;

  constructor(byteLength: number) {
    this.int32 = new Int32Array((byteLength + 3) >> 2);
    this.#saltA = this.int32.map((_, index) => scramble(Math.imul(index + 1, 0x9e3779b1)));
    this.#saltB = this.int32.map((_, index) => scramble(Math.imul(index + 1, 0x7feb352d) ^ 0x5bd1e995));
  }

  read32(address: number): number {
    return this.int32[address >> 2] as number;
  }

  read64(address: number): bigint {
    return join(this.read32(address), this.read32(address + 4));
  }

  write32(address: number, value: number): void {
    this.#write(address >> 2, value | 0);
  }

  undo(mark: number): void {
    if (this.mark <= mark) return;
    const journal = this.#journal;
    for (let at = 4 * (this.mark - 1); at >= 4 * mark; at -= 4)
      this.int32[journal[at] as number] = journal[at + 1] as number;
    this.hashA = journal[4 * mark + 2] as number;
    this.hashB = journal[4 * mark + 3] as number;
    this.mark = mark;
  }

  #write(index: number, value: number): void {
    const old = this.int32[index] as number;
    if (old === value) return;
    const at = 4 * this.mark;
    if (at === this.#journal.length) {
      const longer = new Int32Array(2 * this.#journal.length);
      longer.set(this.#journal);
      this.#journal = longer;
    }
    const journal = this.#journal;
    journal[at] = index;
    journal[at + 1] = old;
    journal[at + 2] = this.hashA;
    journal[at + 3] = this.hashB;
    this.mark += 1;
    const a = this.#saltA[index] as number;
    const b = this.#saltB[index] as number;
    this.hashA ^= scramble(old ^ a) ^ scramble(value ^ a);
    this.hashB ^= scramble(Math.imul(old, 0x2c1b3c6d) + b) ^ scramble(Math.imul(value, 0x2c1b3c6d) + b);
    this.int32[index] = value;
  }
}
