// The shared memories that both ends of a pool have: those of arenas. What lies in them travels as a number and an offset.

import type { SharedMemory } from '@sluice/core';
import { HEADER_ID, HEADER_MAGIC, MAGIC } from '@sluice/core/internal';

/** More arenas than these travel as messages: each of them is kept as long as the pool. */
const MOST_ARENAS = 16;
const WORD = 4;
/** Of an arena's header, as far as its id goes. */
const HEAD_WORDS = HEADER_ID / WORD + 2;

export class SharedMemories {
  readonly #memories: WebAssembly.Memory[] = [];
  readonly #ids: string[] = [];
  /** By memory, or by buffer of one: each look at a memory may give another object. */
  readonly #found = new WeakMap<object, number>();
  readonly #learn: ((memory: WebAssembly.Memory) => void) | undefined;

  /** `learn`: announces a further arena to the other ends. Without it none is added while a value is sent. */
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
    if (memory === undefined) throw new RangeError(`The value lies in arena ${number}, which this thread does not have.`);
    return memory;
  }

  /** -1: the other end does not have it. */
  numberOf(memory: WebAssembly.Memory): number {
    return this.#numberOf(memory, memory.buffer, memory);
  }

  /** As `numberOf`, of the buffer of an arena's memory: a number only for an arena that both ends have already. */
  numberOfBuffer(buffer: ArrayBufferLike): number {
    return this.#numberOf(buffer, buffer, undefined);
  }

  #numberOf(key: object, buffer: ArrayBufferLike, memory: WebAssembly.Memory | undefined): number {
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const id = idOf(buffer);
    if (id === undefined) return -1;
    let number = this.#ids.indexOf(id);
    if (number < 0 && memory !== undefined && this.#learn !== undefined && this.count < MOST_ARENAS) {
      number = this.count;
      this.add(memory);
      this.#learn(memory);
    }
    if (number >= 0) this.#found.set(key, number);
    return number;
  }
}

/** Of the arena in a memory: random, so that no two arenas share it. `undefined`: there is no arena. The words never change. */
function idOf(buffer: ArrayBufferLike): string | undefined {
  if (!(buffer instanceof SharedArrayBuffer) || buffer.byteLength < HEAD_WORDS * WORD) return undefined;
  const words = new Int32Array(buffer, 0, HEAD_WORDS);
  return words[HEADER_MAGIC / WORD] === MAGIC ? `${words[HEADER_ID / WORD]} ${words[HEADER_ID / WORD + 1]}` : undefined;
}
