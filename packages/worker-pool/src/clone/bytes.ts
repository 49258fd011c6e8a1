// Writes and reads values as the engine does for a clone. Only memory that both ends share is written as a reference.
//
// The engine writes a view with its entire ArrayBuffer, once for all views of it, and reads into new memory. So the
// received value has the same sharing, offsets and lengths as a clone. In the value, a `Reference` replaces shared
// memory. The engine asks the writer how to write it.

import { Deserializer, Serializer } from 'node:v8';
import { alignmentOf, classOfView, extentOf, nameOfView } from './node-pool.ts';
import { isSharedBuffer } from '@sluice/core/calls';
import { kernelIdOf, kernelModule } from '@sluice/core/internal';
import type { SharedMemories } from './shared-memories.ts';

const MEMORY = 0;
const BUFFER = 1;
const VIEW = 2;
const KERNEL = 3;

/**
 * Replaces shared memory in the written value. The engine calls `_writeHostObject` for it, as for all objects of
 * Node.js's own classes.
 */
class Reference extends Serializer {
  readonly original: object;

  constructor(original: object) {
    super();
    this.original = original;
  }
}

export function referTo(original: object): object {
  return new Reference(original);
}

class Writer extends Serializer {
  memories: SharedMemories | undefined;

  _writeHostObject(value: object): void {
    if (!(value instanceof Reference) || this.memories === undefined)
      throw new TypeError('It cannot be written as bytes.');
    this.#writeReference(value.original, this.memories);
  }

  #writeReference(original: object, memories: SharedMemories): void {
    const kernel = kernelIdOf(original);
    if (kernel !== undefined) {
      this.writeUint32(KERNEL);
      this.writeValue(kernel);
    } else if (ArrayBuffer.isView(original)) {
      const { buffer, byteOffset, byteLength } = extentOf(original);
      this.#writeNumbers(VIEW, memories.numberOfBuffer(buffer), byteOffset, byteLength / alignmentOf(original));
      this.writeUint32(VIEW_NAMES.indexOf(nameOfView(original)));
    } else if (isSharedBuffer(original)) {
      this.#writeNumbers(BUFFER, memories.numberOfBuffer(original), 0, original.byteLength);
    } else {
      this.#writeNumbers(MEMORY, memories.numberOf(original as WebAssembly.Memory), 0, 0);
    }
  }

  #writeNumbers(kind: number, memory: number, byteOffset: number, length: number): void {
    this.writeUint32(kind);
    this.writeUint32(memory);
    this.writeDouble(byteOffset);
    this.writeDouble(length);
  }
}

const VIEW_NAMES: readonly string[] = [
  ...[
    'DataView',
    'Uint8Array',
    'Int8Array',
    'Uint8ClampedArray',
    'Uint16Array',
    'Int16Array',
    'Uint32Array',
    'Int32Array',
  ],
  ...['Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array', 'Float16Array'],
];

class Reader extends Deserializer {
  readonly #memories: SharedMemories;

  constructor(bytes: Uint8Array, memories: SharedMemories) {
    super(bytes);
    this.#memories = memories;
  }

  _readHostObject(): object {
    const kind = this.readUint32();
    // A handle works without its module, too: the thread that opens it compiles the kernel.
    if (kind === KERNEL) return kernelModule(this.readValue() as string) ?? {};
    const [number, byteOffset, length] = [this.readUint32(), this.readDouble(), this.readDouble()];
    const memory = this.#memories.at(number);
    if (kind === MEMORY) return memory;
    const View = kind === VIEW ? classOfView(VIEW_NAMES[this.readUint32()] ?? '') : undefined;
    // The memory may have grown at the other end. `grow(0)` updates the buffer here.
    if (byteOffset + length * (View?.BYTES_PER_ELEMENT ?? 1) > memory.buffer.byteLength) memory.grow(0);
    return View === undefined ? memory.buffer : new View(memory.buffer, byteOffset, length);
  }
}

/** Writes a value after the bytes `before`. Throws what the engine throws for a value that cannot be cloned. */
export function writeValue(value: unknown, before: Uint8Array, memories?: SharedMemories): Uint8Array {
  const writer = new Writer();
  writer.memories = memories;
  writer.writeRawBytes(before);
  writer.writeHeader();
  writer.writeValue(value);
  return writer.releaseBuffer();
}

/**
 * Reads a value. Throws what the engine throws, for instance if the value is nested too deeply for this thread's stack.
 */
export function readValue(bytes: Uint8Array, memories: SharedMemories): unknown {
  const reader = new Reader(bytes, memories);
  reader.readHeader();
  return reader.readValue();
}
