// Slots for the codecs 'int32' and 'float64', with the same bytes as byte-slots.ts. A number goes to its slot and back
// without a `Uint8Array`. V8 allocates the buffer of a short `Uint8Array` only when a program first asks for it, and
// this takes longer than a copy of 64 bytes.

import type { SharedMemory } from '@sluice/core';
import { checkNumber, type CodecName } from '@sluice/core/calls';
import { corrupt } from '@sluice/core/internal';
import { HEADER, LENGTH, type SlotPlan, type ValueSlots } from './byte-slots.ts';

type NumberCodec = Exclude<CodecName, 'json' | 'bytes'>;

export function isNumberCodec(name: string): name is NumberCodec {
  return name === 'int32' || name === 'float64';
}

/** `ValueSlots` for numbers. */
export class NumberSlots implements ValueSlots {
  readonly #codec: NumberCodec;
  readonly #bytes: number;
  readonly #stride: number;
  readonly #count: number;
  readonly #what: string;
  readonly #words: Int32Array;
  readonly #view: DataView;

  constructor(codec: NumberCodec, memory: SharedMemory, { at, count, stride, most, what }: SlotPlan) {
    // Growing by 0 refreshes `buffer`, as for `ByteSlots`.
    memory.grow(0);
    this.#codec = codec;
    this.#bytes = most;
    this.#stride = stride;
    this.#count = count;
    this.#what = what;
    this.#words = new Int32Array(memory.buffer, at, (count * stride) / Int32Array.BYTES_PER_ELEMENT);
    this.#view = new DataView(memory.buffer, at, count * stride);
  }

  pack(value: unknown): number {
    return checkNumber(this.#codec, value);
  }

  unpack(packed: unknown): unknown {
    return packed;
  }

  write(slot: number, packed: unknown): void {
    if (slot >= this.#count) throw corrupt(`${this.#what} has a slot with the number ${slot} of ${this.#count}`);
    const at = slot * this.#stride;
    this.#words[(at + LENGTH) >> 2] = this.#bytes;
    if (this.#codec === 'int32') this.#view.setInt32(at + HEADER, packed as number);
    else this.#view.setFloat64(at + HEADER, packed as number);
  }

  read(slot: number): number {
    if (slot >= this.#count) throw corrupt(`${this.#what} has a slot with the number ${slot} of ${this.#count}`);
    const at = slot * this.#stride + HEADER;
    return this.#codec === 'int32' ? this.#view.getInt32(at) : this.#view.getFloat64(at);
  }
}
