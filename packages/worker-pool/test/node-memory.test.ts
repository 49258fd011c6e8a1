// Tests small Buffers, which share memory within a process. A received Buffer shows its own bytes and no others of that
// memory.

import { types } from 'node:util';
import { oneIn } from '@sluice/harness';
import { expect, test } from 'vitest';
import { withPool } from './support/pool.ts';

const SECRET = 'hunter2';

/** Returns all memory that can be reached from a value. */
function memoryOf(value: unknown, seen = new Set<object>()): ArrayBufferLike[] {
  if (typeof value !== 'object' || value === null || seen.has(value)) return [];
  seen.add(value);
  if (types.isAnyArrayBuffer(value)) return [value];
  if (ArrayBuffer.isView(value)) return memoryOf(value.buffer, seen);
  const parts: unknown[] =
    value instanceof Map ? [...value].flat() : value instanceof Set ? [...value] : Object.values(value);
  if (types.isNativeError(value)) parts.push(value.cause);
  return parts.flatMap((part) => memoryOf(part, seen));
}

function shows(value: unknown, text: string): boolean {
  return memoryOf(value).some((memory) => Buffer.from(memory as ArrayBuffer).includes(text));
}

/** Fills the memory that Node.js shares among Buffers with the secret. Returns one of these Buffers. */
function fillPool(text: string): Buffer {
  let last = Buffer.alloc(0);
  for (let n = 0; n < 2000; n++) last = Buffer.from(text);
  return last;
}

class Job {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

class OwnMap extends Map<unknown, unknown> {}
class OwnSet extends Set<unknown> {}
class OwnList extends Array<unknown> {}
class OwnError extends Error {}

const short = (): Buffer => Buffer.from('abcd');

const PROTOTYPES: readonly (object | null)[] = [Object, Array, Map, Error, ArrayBuffer, Date].map(
  ({ prototype }): object => prototype,
);

/** Returns the value with each prototype in turn, and with an own property. */
const given = (make: () => object): unknown[] =>
  [null, Job.prototype, ...PROTOTYPES].map((prototype): unknown =>
    Object.setPrototypeOf(Object.assign(make(), { own: 1 }), prototype),
  );

const MADE: readonly (readonly [what: string, make: () => unknown])[] = [
  ['as the cause of an error', () => new Error('x', { cause: short() })],
  [
    'as the cause of the cause of an error of an own class',
    () => new OwnError('x', { cause: new OwnError('y', { cause: { bytes: short() } }) }),
  ],
  ['in a Map of an own class', () => new OwnMap([[short(), short()]])],
  ['in a Set of an own class', () => new OwnSet([short()])],
  ['in an array of an own class', () => OwnList.of(short())],
  ['a Buffer', short],
  ['a Buffer in an object', () => ({ deep: [{ bytes: short() }] })],
  ['a Buffer in an object of a class', () => new Job(short())],
  ['Buffers in a Map and a Set', () => [new Map([[short(), short()]]), new Set([short()])]],
  [
    'in a Map that was given the prototype of an object',
    (): unknown => Object.setPrototypeOf(new Map([[1, short()]]), Object.prototype),
  ],
  ['in a Set that was given no prototype', (): unknown => Object.setPrototypeOf(new Set([short()]), null)],
  [
    'in objects that were given the prototype of a Map, of an Error, of a Date, of an ArrayBuffer',
    () =>
      [Map, Error, Date, ArrayBuffer].map(({ prototype }) =>
        Object.assign(Object.create(prototype) as object, { bytes: short() }),
      ),
  ],
  ['Buffers that were given other prototypes', () => given(short)],
  ['in Maps that were given other prototypes', () => given(() => new Map([[short(), short()]]))],
  ['in Sets that were given other prototypes', () => given(() => new Set([short()]))],
  ['in arrays that were given other prototypes', () => given(() => [short()])],
  ['in errors that were given other prototypes', () => given(() => new Error('x', { cause: short() }))],
  [
    'a Buffer from a getter',
    () => ({
      get bytes(): Buffer {
        return short();
      },
    }),
  ],
  [
    'a Buffer in a sparse array with properties',
    () => Object.assign(new Array(3), { 0: 1, 2: short(), name: short() }),
  ],
  [
    'wider numbers',
    () => {
      const bytes = Buffer.allocUnsafe(64);
      const at = bytes.byteOffset + ((8 - (bytes.byteOffset % 8)) % 8);
      return new Float64Array(bytes.buffer, at, 4).fill(0.5);
    },
  ],
  ['plain typed arrays', () => [new Uint8Array([1, 2]), new Uint16Array([3])]],
  ['a class that extends one', () => new (class Bytes extends Uint8Array {})(3)],
];

const WAYS: readonly (readonly [way: string, options: object, around: (value: unknown) => unknown])[] = [
  ['through shared memory', {}, (value) => value],
  ['too long for it', { bufferBytes: 1024 }, (value) => ({ value, text: 'x'.repeat(5000) })],
  ['beside shared memory', {}, (value) => ({ value, other: new SharedArrayBuffer(4) })],
  ['beside a Blob', {}, (value) => ({ value, other: new Blob(['x']) })],
];

const CASES = MADE.flatMap(([what, make]) =>
  WAYS.map(([way, options, around]) => [what, way, options, around, make] as const),
);

// Five is not a multiple of the number of ways, so each way is taken.
test.each(oneIn(5, CASES))(
  '%s shows no other memory of the process, %s, in both directions',
  (_, way, options, around, make) =>
    withPool({ ...options }, async (pool) => {
      expect(shows(fillPool(SECRET), SECRET)).toBe(true);
      await pool.run(SECRET, { name: 'fillPool' });
      expect(await pool.run(around(make()), { name: 'showsSecret' }), way).toBe(false);
      expect(shows(await pool.run(around(make())), SECRET)).toBe(false);
    }),
);

test('a result has memory of its own and can be transferred', () =>
  withPool({}, async (pool) => {
    for (const name of ['smallBuffer', 'typedArray', 'movedBuffer']) {
      const bytes = (await pool.run(0, { name })) as Uint8Array<ArrayBuffer>;
      expect([[...bytes], bytes.byteOffset, bytes.buffer.byteLength], name).toEqual([[97, 98, 99], 0, 3]);
      expect(structuredClone(bytes, { transfer: [bytes.buffer] })).toHaveLength(3);
      expect(bytes).toHaveLength(0);
    }
  }));

test('Buffers that overlap in memory of the process still share memory, and others do not', () =>
  withPool({}, async (pool) => {
    const bytes = Buffer.from('0123456789');
    const task = {
      all: bytes.subarray(2, 8),
      part: bytes.subarray(4, 6),
      apart: bytes.subarray(8),
      words: bytes.subarray(2, 4),
    };
    const back = (await pool.run(task)) as typeof task;
    expect(Object.values(back).map((part) => Buffer.from(part).toString())).toEqual(['234567', '45', '89', '23']);
    expect([back.part.buffer, back.words.buffer]).toEqual([back.all.buffer, back.all.buffer]);
    expect(back.apart.buffer).not.toBe(back.all.buffer);
    expect([back.all.buffer.byteLength, back.apart.buffer.byteLength]).toEqual([6, 2]);
  }));

test('a Buffer arrives as a Uint8Array, however long it is', () =>
  withPool({ bufferBytes: 1024 }, async (pool) => {
    for (const length of [0, 3, 100, 5000]) {
      const back = (await pool.run(Buffer.alloc(length, 7))) as Uint8Array;
      expect([Object.getPrototypeOf(back) === Uint8Array.prototype, back.byteLength, back.buffer.byteLength]).toEqual([
        true,
        length,
        length,
      ]);
    }
  }));

test('a view of an ArrayBuffer as long as Node.js’s Buffer pool still shares its ArrayBuffer', () =>
  withPool({}, async (pool) => {
    const bytes = new Uint8Array(new ArrayBuffer(Buffer.poolSize), 16, 4);
    const back = (await pool.run(bytes)) as Uint8Array;
    expect([back.byteOffset, back.byteLength, back.buffer.byteLength]).toEqual([16, 4, Buffer.poolSize]);
  }));
