// A ring of bytes. Each value follows a word with its length.

import { isArrayBuffer, isUint8Array, show } from '@sluice/core/calls';
import { corrupt } from '@sluice/core/internal';
import { isOurs, JSON_CODEC, type Codec } from '../api/codec.ts';
import { WORD, type RingShape } from '../api/options.ts';
import { BufferRefusal } from '../api/buffer-refusal.ts';
import type { ValueStore } from './store.ts';

export class Records implements ValueStore<Uint8Array> {
  readonly unitBytes = WORD;
  readonly mayFail: boolean;
  readonly #shape: RingShape;
  readonly #codec: Codec<unknown>;
  /** Whether the codec always gives bytes, which no other code has. */
  readonly #isFresh: boolean;
  readonly words: Int32Array;
  /** The ring, the same memory as `words`. */
  readonly bytes: Uint8Array;
  readonly #mask: number;

  constructor(shape: RingShape, codec: Codec<unknown>, memory: ArrayBufferLike, ring: number, ringBytes: number) {
    this.#shape = shape;
    this.#codec = codec;
    this.mayFail = !isOurs(codec);
    this.#isFresh = codec === JSON_CODEC;
    this.words = new Int32Array(memory, ring, ringBytes / WORD);
    this.bytes = new Uint8Array(memory, ring, ringBytes);
    this.#mask = ringBytes / WORD - 1;
  }

  /** Encodes a value. Throws `BufferRefusal`, and the errors of the codec. */
  pack(value: unknown): Uint8Array {
    const bytes = this.#codec.encode(value);
    if (!this.#isFresh && !isUint8Array(bytes))
      throw new BufferRefusal(
        TypeError,
        `the codec ${this.#codec.name} must encode to a Uint8Array, and gave ${show(bytes)}`,
      );
    if (bytes.length > this.#shape.most) this.checkLength(bytes.length);
    return !this.#isFresh && this.#mayChange(bytes) ? copyOf(bytes) : bytes;
  }

  /** Checks the length of a value. Throws `BufferRefusal`. */
  checkLength(length: number): void {
    const { most } = this.#shape;
    if (length > most) throw new BufferRefusal(RangeError, `a value may have ${most} bytes, received one of ${length}`);
  }

  keep(bytes: Uint8Array): Uint8Array {
    return copyOf(bytes);
  }

  unpack(bytes: Uint8Array): unknown {
    return this.#codec.decode(bytes);
  }

  /**
   * Whether the bytes must be copied before the wait. A codec of the program may reuse its array, and shared or
   * resizable memory may change. A subclass must not run its code while the side's lock is owned.
   */
  #mayChange(bytes: Uint8Array): boolean {
    const { buffer } = bytes;
    return (
      this.mayFail ||
      !isPlain(bytes) ||
      !isArrayBuffer(buffer) ||
      (buffer as { readonly resizable?: boolean }).resizable === true
    );
  }

  unitsOf({ length }: { readonly length: number }): number {
    return Math.max(this.#shape.least, 1 + Math.ceil(length / WORD));
  }

  write(position: number, bytes: Uint8Array): void {
    this.words[position & this.#mask] = bytes.length;
    const at = ((position + 1) & this.#mask) * WORD;
    const beforeEnd = this.bytes.length - at;
    if (bytes.length <= beforeEnd) {
      this.bytes.set(bytes, at);
      return;
    }
    this.bytes.set(bytes.subarray(0, beforeEnd), at);
    this.bytes.set(bytes.subarray(beforeEnd), 0);
  }

  /** Returns a copy. */
  read(position: number): Uint8Array {
    const length = this.words[position & this.#mask] ?? 0;
    if (length < 0 || length > this.bytes.length) throw corrupt(`a bounded buffer has a value of ${length} bytes`);
    const at = ((position + 1) & this.#mask) * WORD;
    const beforeEnd = this.bytes.length - at;
    if (length <= beforeEnd) return this.bytes.slice(at, at + length);
    const bytes = new Uint8Array(length);
    bytes.set(this.bytes.subarray(at));
    bytes.set(this.bytes.subarray(0, length - beforeEnd), beforeEnd);
    return bytes;
  }
}

const { Buffer: NodeBuffer } = globalThis as { readonly Buffer?: { readonly prototype: object } };

function isPlain(bytes: Uint8Array): boolean {
  const prototype = Object.getPrototypeOf(bytes) as object;
  return prototype === Uint8Array.prototype || prototype === NodeBuffer?.prototype;
}

/** Returns a copy of the bytes. `slice` of a `Buffer` would return a view of the same memory. */
function copyOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}
