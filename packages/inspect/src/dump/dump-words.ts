// The memory of a dump, for the functions that read an arena.
//
// A dump may be hostile: its lists may have no end. So the number of reads is bounded in proportion to its size, and
// the read beyond the bound throws `CorruptArenaError`. Nothing writes to it.

import type { Words } from '@sluice/core/internal';
import { damaged, indexAt, type Segment } from './dump-file.ts';

/** Reads of each word of the dump, and reads of any dump. The report of 10,000 waiters reads three times per word. */
const READS_OF_A_WORD = 32;
const READS = 500_000;

export class DumpWords implements Words {
  readonly #segments: readonly Segment[];
  readonly #views: readonly DataView[];
  readonly #bytes: number;
  #left: number;
  #last = 0;

  /** `bytes`: the size of the arena. */
  constructor(segments: readonly Segment[], bytes: number) {
    this.#segments = segments;
    this.#views = segments.map((each) => new DataView(each.bytes.buffer, each.bytes.byteOffset, each.bytes.byteLength));
    this.#bytes = bytes;
    const words = segments.reduce((sum, each) => sum + each.bytes.length / 4, 0);
    this.#left = READS + READS_OF_A_WORD * words;
  }

  load32(address: number): number {
    const at = this.#find(address, 4);
    return at < 0 ? 0 : (this.#views[this.#last] as DataView).getInt32(at, true);
  }

  load64(address: number): bigint {
    const at = this.#find(address, 8);
    return at < 0 ? 0n : (this.#views[this.#last] as DataView).getBigInt64(at, true);
  }

  get32(address: number): number {
    return this.load32(address);
  }

  get64(address: number): bigint {
    return this.load64(address);
  }

  /** Succeeds as in memory, and changes nothing: a report lowers the number of an agent's answers. */
  cas32(address: number, _expected: number, _value: number): number {
    return this.load32(address);
  }

  store32(): void {
    throw damaged('something writes to it');
  }
  add32(): number {
    throw damaged('something writes to it');
  }
  exchange32(): number {
    throw damaged('something writes to it');
  }
  store64(): void {
    throw damaged('something writes to it');
  }
  add64(): bigint {
    throw damaged('something writes to it');
  }
  cas64(): bigint {
    throw damaged('something writes to it');
  }
  put32(): void {
    throw damaged('something writes to it');
  }
  put64(): void {
    throw damaged('something writes to it');
  }

  /** Finds the segment with an address, and returns the byte in it. Returns -1 if the dump has nothing there. */
  #find(address: number, size: number): number {
    this.#left -= 1;
    if (this.#left < 0) throw damaged('a list in it has no end');
    if (!(address >= 0 && address + size <= this.#bytes) || address % size !== 0)
      throw damaged(`address ${address} is outside of it`);
    const last = this.#segments[this.#last];
    if (last !== undefined && address >= last.address && address < last.address + last.bytes.length)
      return address - last.address;
    const index = indexAt(this.#segments, address);
    if (index < 0) return -1;
    this.#last = index;
    return address - (this.#segments[index] as Segment).address;
  }
}
