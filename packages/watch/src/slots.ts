// The slots of a cell, as one agent writes and reads them. A slot is written only by the writer that has claimed it. It may be written while a
// reader copies it; the reader then discards its copy.

import { BLOCK_LINE, type LineAddress } from '@sluice/core/internal';
import { packed, type WatchCodec } from './codec.ts';
import { LENGTH, SLOT_HEADER, SLOTS } from './kernel/layout.ts';

export interface Slots {
  /** What is written for `value`. Throws `RefusedValue`, and what a codec throws. */
  pack(value: unknown): unknown;
  unpack(packed: unknown): unknown;
  write(slot: number, packed: unknown): void;
  /** A copy, of no use if the slot was written meanwhile. */
  read(slot: number): unknown;
}

/** Each slot has lines of its own, so that a writer does not disturb the readers of another. */
const ALIGNED = 64;

/** Bytes from one slot to the next, for values of at most `most` bytes. */
export function strideFor(most: number): number {
  return Math.ceil((SLOT_HEADER + most) / ALIGNED) * ALIGNED;
}

export class ByteSlots implements Slots {
  readonly #codec: WatchCodec<unknown>;
  readonly #most: number;
  readonly #stride: number;
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;

  /** `memory` is current. */
  constructor(codec: WatchCodec<unknown>, memory: ArrayBufferLike, cell: LineAddress, stride: number, most: number) {
    this.#codec = codec;
    this.#most = most;
    this.#stride = stride;
    this.#words = new Int32Array(memory, cell + BLOCK_LINE, (SLOTS * stride) / Int32Array.BYTES_PER_ELEMENT);
    this.#bytes = new Uint8Array(memory, cell + BLOCK_LINE, SLOTS * stride);
  }

  pack(value: unknown): Uint8Array {
    return packed(this.#codec, this.#most, value);
  }

  unpack(bytes: unknown): unknown {
    return this.#codec.decode(bytes as Uint8Array);
  }

  write(slot: number, value: unknown): void {
    const bytes = value as Uint8Array;
    const at = slot * this.#stride;
    this.#words[(at + LENGTH) >> 2] = bytes.length;
    this.#bytes.set(bytes, at + SLOT_HEADER);
  }

  read(slot: number): Uint8Array {
    const at = slot * this.#stride;
    const length = this.#words[(at + LENGTH) >> 2] ?? 0;
    return this.#bytes.slice(at + SLOT_HEADER, at + SLOT_HEADER + Math.min(length, this.#most));
  }
}
