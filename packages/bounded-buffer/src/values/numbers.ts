// A ring of numbers: one unit of room per number.

import { show } from '@sluice/core/calls';
import { BufferRefusal } from '../api/buffer-refusal.ts';
import type { Many, ValueStore } from './store.ts';

export class Numbers implements ValueStore<number> {
  readonly unitBytes = 1;
  readonly mayFail = false;
  /** The ring. */
  readonly slots: Int32Array | Float64Array;
  readonly #mask: number;
  readonly isInt32: boolean;
  readonly many: Many;

  constructor(unitBytes: number, memory: ArrayBufferLike, ring: number, ringBytes: number) {
    const count = ringBytes / unitBytes;
    this.isInt32 = unitBytes === Int32Array.BYTES_PER_ELEMENT;
    this.slots = this.isInt32 ? new Int32Array(memory, ring, count) : new Float64Array(memory, ring, count);
    this.#mask = count - 1;
    this.many = {
      pack: (values) => this.#packAll(values),
      write: (position, packed, most) => this.#writeAll(position, packed, most),
      read: (position, most) => this.#readAll(position, most),
    };
  }

  /** Returns the number. Throws `BufferRefusal`. */
  pack(value: unknown): number {
    if (typeof value !== 'number')
      throw new BufferRefusal(TypeError, `a value must be a number, received ${show(value)}`);
    if (!this.isInt32 || (value | 0) === value) return value;
    throw new BufferRefusal(RangeError, `a value must be a whole number from -2^31 to 2^31 - 1, received ${value}`);
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
    this.slots[position & this.#mask] = packed;
  }

  read(position: number): number {
    return this.slots[position & this.#mask] as number;
  }

  #packAll(values: ArrayLike<unknown>): Int32Array | Float64Array {
    const { slots } = this;
    const { length } = values;
    // All of its numbers are valid. The caller cannot change the array during the call. If another thread changes it,
    // only the stored values differ.
    if (values instanceof Int32Array && slots instanceof Int32Array) return values;
    if (values instanceof Float64Array && slots instanceof Float64Array) return values;
    const packed = slots instanceof Int32Array ? new Int32Array(length) : new Float64Array(length);
    for (let n = 0; n < length; n++) {
      const value = values[n];
      packed[n] = typeof value === 'number' && (value | 0) === value ? value : this.pack(value);
    }
    return packed;
  }

  #writeAll(position: number, packed: ArrayLike<number>, count: number): void {
    const start = position & this.#mask;
    const beforeEnd = this.slots.length - start;
    const all = packed as Int32Array;
    if (count <= beforeEnd) {
      this.slots.set(count === all.length ? all : all.subarray(0, count), start);
      return;
    }
    this.slots.set(all.subarray(0, beforeEnd), start);
    this.slots.set(all.subarray(beforeEnd, count), 0);
  }

  #readAll(position: number, count: number): number[] {
    const { slots } = this;
    const start = position & this.#mask;
    const beforeEnd = Math.min(count, slots.length - start);
    // An array with a fixed length and an index without a mask: three times as fast as `push`.
    const all = new Array<number>(count);
    for (let n = 0; n < beforeEnd; n++) all[n] = slots[start + n] as number;
    for (let n = beforeEnd; n < count; n++) all[n] = slots[n - beforeEnd] as number;
    return all;
  }
}
