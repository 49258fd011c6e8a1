// Reads and writes slots for values of different lengths. Only the agent that has claimed a slot writes it. A slot may
// be written while a reader copies it. Then the kind's steps tell the reader, which discards its copy.
//
// A slot begins with two words. The first belongs to the kind. The second is the length of the value in bytes. The
// value follows.

import type { SharedMemory } from '@sluice/core';
import { lengthOf, packedBy, type ValueCodec } from '@sluice/core/calls';
import { corrupt } from '@sluice/core/internal';

export interface ValueSlots {
  /** Returns the bytes or the number to write for `value`. Throws `RefusedValue`, and errors of the codec. */
  pack(value: unknown): unknown;
  unpack(packed: unknown): unknown;
  write(slot: number, packed: unknown): void;
  /** Returns a copy. It is invalid if the slot was written meanwhile. */
  read(slot: number): unknown;
}

/** The position and size of the slots. */
export interface SlotPlan {
  /** The address of the first slot. */
  readonly at: number;
  readonly count: number;
  /** The distance between two slots in bytes: `slotStride`. */
  readonly stride: number;
  /** The maximum length of a value in bytes. */
  readonly most: number;
  /** The name of the primitive for messages about damage, such as 'a watch cell'. */
  readonly what: string;
}

export const LENGTH = 4;
export const HEADER = 8;
/** Each slot has cache lines of its own, so that a writer does not disturb the readers of another slot. */
const ALIGNED = 64;

/** Returns the distance between two slots in bytes, for values of at most `most` bytes. */
export function slotStride(most: number): number {
  return Math.ceil((HEADER + most) / ALIGNED) * ALIGNED;
}

export class ByteSlots implements ValueSlots {
  readonly #codec: ValueCodec<unknown>;
  readonly #most: number;
  readonly #stride: number;
  readonly #count: number;
  readonly #what: string;
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;

  constructor(codec: ValueCodec<unknown>, memory: SharedMemory, { at, count, stride, most, what }: SlotPlan) {
    // Growing by 0 refreshes `buffer`: otherwise it may be the buffer from before another agent grew the memory.
    memory.grow(0);
    this.#codec = codec;
    this.#most = most;
    this.#stride = stride;
    this.#count = count;
    this.#what = what;
    this.#words = new Int32Array(memory.buffer, at, (count * stride) / Int32Array.BYTES_PER_ELEMENT);
    this.#bytes = new Uint8Array(memory.buffer, at, count * stride);
  }

  pack(value: unknown): Uint8Array {
    return packedBy(this.#codec, this.#most, value);
  }

  unpack(bytes: unknown): unknown {
    return this.#codec.decode(bytes as Uint8Array);
  }

  write(slot: number, value: unknown): void {
    if (slot >= this.#count) throw corrupt(`${this.#what} has a slot with the number ${slot} of ${this.#count}`);
    const bytes = value as Uint8Array;
    const at = slot * this.#stride;
    this.#words[(at + LENGTH) >> 2] = lengthOf(bytes);
    this.#bytes.set(bytes, at + HEADER);
  }

  read(slot: number): Uint8Array {
    if (slot >= this.#count) throw corrupt(`${this.#what} has a slot with the number ${slot} of ${this.#count}`);
    const at = slot * this.#stride;
    const length = this.#words[(at + LENGTH) >> 2] ?? 0;
    return this.#bytes.slice(at + HEADER, at + HEADER + Math.min(length >>> 0, this.#most));
  }
}
