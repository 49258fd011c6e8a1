// The model's memory. It can undo each write, and it keeps a 64-bit hash of all its contents up to date.

import { join } from './wide.ts';

function scramble(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

export class Memory {
  readonly int32: Int32Array;
  /**
   * The low and high half of the hash. The hash is an exclusive or over all words, so a write can update it in one
   * step.
   */
  hashA = 0;
  hashB = 0;
  /** The position in the journal. Each change advances it, and undoing a change moves it back. */
  mark = 0;
  /** Four numbers per change: the word, its old value, and both halves of the old hash. */
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
