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
  #journal = new Int32Array(1024);
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
    while (this.mark > mark) {
      this.mark -= 1;
      this.#set(this.#journal[2 * this.mark] as number, this.#journal[2 * this.mark + 1] as number);
    }
  }

  #write(index: number, value: number): void {
    const old = this.int32[index] as number;
    if (old === value) return;
    if (2 * this.mark === this.#journal.length) {
      const longer = new Int32Array(2 * this.#journal.length);
      longer.set(this.#journal);
      this.#journal = longer;
    }
    this.#journal[2 * this.mark] = index;
    this.#journal[2 * this.mark + 1] = old;
    this.mark += 1;
    this.#set(index, value);
  }

  #set(index: number, value: number): void {
    const old = this.int32[index] as number;
    const a = this.#saltA[index] as number;
    const b = this.#saltB[index] as number;
    this.hashA ^= scramble(old ^ a) ^ scramble(value ^ a);
    this.hashB ^= scramble(Math.imul(old, 0x2c1b3c6d) + b) ^ scramble(Math.imul(value, 0x2c1b3c6d) + b);
    this.int32[index] = value;
  }
}
