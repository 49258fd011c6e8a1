// The shared memories that both ends of a pool have, which are those of arenas. A value in them is sent as a number of
// a memory and an offset.

import type { SharedMemory } from '@sluice/core';
import { HEADER_ID, HEADER_MAGIC, MAGIC } from '@sluice/core/format';
import { isSharedBuffer } from '@sluice/core/calls';

/**
 * The maximum of known arenas. Values in further arenas are sent as messages, because each known arena is kept as long
 * as the pool.
 */
const MAX_ARENAS = 16;
const WORD = 4;
/** The words of an arena's header up to and including its id. */
const HEAD_WORDS = HEADER_ID / WORD + 2;

export class SharedMemories {
  readonly #memories: WebAssembly.Memory[] = [];
  readonly #ids: string[] = [];
  /** By memory, or by its buffer: each read of `memory.buffer` may return another object. */
  readonly #found = new WeakMap<object, number>();
  readonly #learn: ((memory: WebAssembly.Memory) => void) | undefined;

  /** `learn` announces a further arena to the other ends. Without it, no arena is added when a value is sent. */
  constructor(memories: readonly SharedMemory[], learn?: (memory: WebAssembly.Memory) => void) {
    this.#learn = learn;
    for (const memory of memories) this.add(memory);
  }

  get all(): readonly SharedMemory[] {
    return this.#memories;
  }

  get count(): number {
    return this.#memories.length;
  }

  add(memory: SharedMemory): void {
    this.#memories.push(memory as WebAssembly.Memory);
    this.#ids.push(idOf(memory.buffer) ?? '');
  }

  at(number: number): WebAssembly.Memory {
    const memory = this.#memories[number];
    if (memory === undefined)
      throw new RangeError(`The value lies in arena ${number}, which this thread does not have.`);
    return memory;
  }

  /** Returns the number of the memory, or -1 if the other end does not have it. */
  numberOf(memory: WebAssembly.Memory): number {
    return this.#numberOf(memory, memory.buffer, memory);
  }

  /**
   * Returns the number of the memory with this buffer, or -1 if the other end does not have it. Unlike `numberOf`, adds
   * no arena.
   */
  numberOfBuffer(buffer: ArrayBufferLike): number {
    return this.#numberOf(buffer, buffer, undefined);
  }

  #numberOf(key: object, buffer: ArrayBufferLike, memory: WebAssembly.Memory | undefined): number {
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const id = idOf(buffer);
    if (id === undefined) return -1;
    let number = this.#ids.indexOf(id);
    if (number < 0 && memory !== undefined && this.#learn !== undefined && this.count < MAX_ARENAS) {
      number = this.count;
      this.add(memory);
      this.#learn(memory);
    }
    if (number >= 0) this.#found.set(key, number);
    return number;
  }
}

/**
 * Returns the id of the arena in a memory, or `undefined` if there is no arena. Ids are random, so no two arenas have
 * the same, and they never change.
 */
function idOf(buffer: ArrayBufferLike): string | undefined {
  if (!isSharedBuffer(buffer) || buffer.byteLength < HEAD_WORDS * WORD) return undefined;
  const words = new Int32Array(buffer, 0, HEAD_WORDS);
  return words[HEADER_MAGIC / WORD] === MAGIC ? `${words[HEADER_ID / WORD]} ${words[HEADER_ID / WORD + 1]}` : undefined;
}
