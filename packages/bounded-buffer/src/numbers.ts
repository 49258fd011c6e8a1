// A ring of numbers: one unit of room per number.

import { show } from '@sluice/core/internal';
import { RefusedValue } from './refused-value.ts';
import type { Store } from './store.ts';

export class Numbers implements Store<number> {
  readonly unitBytes = 1;
  readonly mayFail = false;
  readonly #slots: Int32Array | Float64Array;
  readonly #mask: number;
  readonly #whole: boolean;

  constructor(unitBytes: number, memory: ArrayBufferLike, ring: number, ringBytes: number) {
    const count = ringBytes / unitBytes;
    this.#whole = unitBytes === Int32Array.BYTES_PER_ELEMENT;
    this.#slots = this.#whole ? new Int32Array(memory, ring, count) : new Float64Array(memory, ring, count);
    this.#mask = count - 1;
  }

  /** Throws `RefusedValue`. */
  pack(value: unknown): number {
    if (typeof value !== 'number') throw new RefusedValue(TypeError, `a value must be a number, received ${show(value)}`);
    if (!this.#whole || (value | 0) === value) return value;
    throw new RefusedValue(RangeError, `a value must be a whole number from -2^31 to 2^31 - 1, received ${value}`);
  }

  unpack(packed: number): number {
    return packed;
  }

  keep(packed: number): number {
    return packed;
  }

  unitsOf(): number {
    return 1;
  }

  write(position: number, packed: number): void {
    this.#slots[position & this.#mask] = packed;
  }

  read(position: number): number {
    return this.#slots[position & this.#mask] as number;
  }
}
