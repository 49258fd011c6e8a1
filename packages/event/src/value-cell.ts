// The bytes behind the line of a lazy, and this agent's copy of the value in them.

import { BLOCK_LINE, LIMIT } from '@sluice/core/format';
import { lengthOf, packedBy, RefusedValue, type ValueCodec, type Titled } from '@sluice/core/calls';
import { corrupt, type BlockRef } from '@sluice/core/internal';
import { VALUE_BYTES } from './kernel/layout.ts';

export class ValueCell {
  readonly #ref: BlockRef;
  readonly #codec: ValueCodec<unknown>;
  readonly #lazy: Titled;
  /** Set when this agent has decoded the value. */
  #copy: { readonly value: unknown } | undefined;

  /** `lazy` supplies the title. */
  constructor(ref: BlockRef, codec: ValueCodec<unknown>, lazy: Titled) {
    this.#ref = ref;
    this.#codec = codec;
    this.#lazy = lazy;
  }

  get codec(): string {
    return this.#codec.name;
  }

  /**
   * Writes the value, for the agent whose attempt runs. It decodes the bytes before other agents see them, so a value
   * that cannot be read is never published. Throws `TypeError`, `RangeError`, and errors of the codec.
   */
  write(value: unknown): void {
    const {
      context: { words },
      address,
    } = this.#ref;
    const packed = this.#pack(value, words.get32(address + LIMIT));
    const length = lengthOf(packed);
    this.#bytes(length).set(packed);
    words.put32(address + VALUE_BYTES, length);
    this.#copy = this.#decode();
  }

  /**
   * Returns the published value. The first call decodes it; later calls return the same object. Throws errors of the
   * codec.
   */
  read(): unknown {
    this.#copy ??= this.#decode();
    return this.#copy.value;
  }

  #pack(value: unknown, capacity: number): Uint8Array {
    try {
      return packedBy(this.#codec, capacity, value);
    } catch (failure) {
      throw failure instanceof RefusedValue
        ? new failure.Kind(`${this.#lazy.toString()}: ${failure.message}. The attempt failed.`)
        : failure;
    }
  }

  #decode(): { readonly value: unknown } {
    const {
      context: { words },
      address,
    } = this.#ref;
    // Copy the bytes: codecs may keep them, and most codecs do not take shared memory.
    const length = words.get32(address + VALUE_BYTES);
    if (length < 0 || length > words.get32(address + LIMIT))
      throw corrupt(`${this.#lazy.toString()} has a value of ${length} bytes`);
    return { value: this.#codec.decode(this.#bytes(length).slice()) };
  }

  #bytes(length: number): Uint8Array {
    const { memory } = this.#ref.arena.handle;
    // Growing by 0 refreshes `buffer`: otherwise it may be the buffer from before another agent grew the memory.
    memory.grow(0);
    return new Uint8Array(memory.buffer, this.#ref.address + BLOCK_LINE, length);
  }
}
