// Buffers of every codec, each in every layout of its values in the ring.

import type { Arena } from '@sluice/core';
import { BoundedBuffer, type BoundedBufferHandle, type Codec } from '../../src/index.ts';
import './arena-kinds.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A custom codec: two numbers in 16 bytes. */
export const POINTS: Codec<Point> = {
  name: 'points',
  encode: ({ x, y }) => new Uint8Array(new Float64Array([x, y]).buffer),
  decode: (bytes) => {
    const [x = Number.NaN, y = Number.NaN] = new Float64Array(bytes.buffer, bytes.byteOffset, 2);
    return { x, y };
  },
};

export interface BufferKind {
  readonly name: string;
  readonly codec: string;
  /** Creates a buffer of exactly that capacity. */
  readonly create: (arena: Arena, capacity: number, name?: string) => BoundedBuffer<unknown>;
  readonly from: (handle: BoundedBufferHandle) => BoundedBuffer<unknown>;
  /** Returns the value with that number. All values differ. */
  readonly value: (index: number) => unknown;
}

function kind<T>(
  name: string,
  codec: string,
  create: (placed: { arena: Arena; name?: string | undefined }, capacity: number) => BoundedBuffer<T>,
  value: (index: number) => T,
  own?: Codec<T>,
): BufferKind {
  return {
    name,
    codec,
    create: (arena, capacity, label) => create({ arena, name: label }, capacity),
    from: (handle) => BoundedBuffer.from<T>(handle, own === undefined ? {} : { codec: own }),
    value,
  };
}

/** Buffers with fixed room per value in a ring. */
const SHARE = 64;

function bytesOf(index: number): Uint8Array {
  return Uint8Array.from({ length: index % 14 }, (_, at) => index * 17 + at);
}

function jsonOf(index: number): unknown {
  return [index, -(index + 1) / 3, `№ ${index}`, null, { deep: [index % 2 === 0] }][index % 5] ?? { index };
}

export const KINDS: readonly BufferKind[] = [
  kind(
    'int32',
    'int32',
    (placed, capacity) => BoundedBuffer.create({ codec: 'int32', capacity, ...placed }),
    (index) => 1 - index * 7919,
  ),
  kind(
    'float64',
    'float64',
    (placed, capacity) => BoundedBuffer.create({ codec: 'float64', capacity, ...placed }),
    (index) => index / 7,
  ),
  kind(
    'bytes in slots',
    'bytes',
    (placed, capacity) => BoundedBuffer.create({ codec: 'bytes', capacity, slotBytes: 13, ...placed }),
    bytesOf,
  ),
  kind(
    'bytes in a ring',
    'bytes',
    (placed, capacity) => BoundedBuffer.create({ codec: 'bytes', capacity, ringBytes: capacity * SHARE, ...placed }),
    bytesOf,
  ),
  kind(
    'json in slots',
    'json',
    (placed, capacity) => BoundedBuffer.create<unknown>({ capacity, slotBytes: 40, ...placed }),
    jsonOf,
  ),
  kind(
    'json in a ring',
    'json',
    (placed, capacity) => BoundedBuffer.create<unknown>({ capacity, ringBytes: capacity * SHARE, ...placed }),
    jsonOf,
  ),
  kind(
    'a custom codec',
    'points',
    (placed, capacity) => BoundedBuffer.create<Point>({ codec: POINTS, capacity, slotBytes: 16, ...placed }),
    (index) => ({ x: index, y: -1 / (1 + index) }),
    POINTS,
  ),
];

export const ENGINES = ['wasm', 'js'] as const;

/** Every kind of buffer with every engine. */
export const CASES = ENGINES.flatMap((engine) =>
  KINDS.map((kind) => ({ ...kind, title: `${kind.name} (${engine})`, engine })),
);

/** Returns the values from number `from` up to number `to`, exclusive. */
export function valuesOf({ value }: Pick<BufferKind, 'value'>, from: number, to: number): unknown[] {
  return Array.from({ length: to - from }, (_, index) => value(from + index));
}
