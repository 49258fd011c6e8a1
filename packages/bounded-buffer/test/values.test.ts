// Values that a buffer does not take: the error says what was received, and nothing changes.

import { Arena } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { wrong } from '../../core/test/support/misuse-table.ts';
import { turn } from '../../core/test/support/turn.ts';
import { BoundedBuffer, type Codec } from '../src/index.ts';
import { POINTS } from './support/kinds.ts';
import { atEnd, expectQuiet } from './support/rest.ts';

const arena = Arena.create({ maxPages: 64 });

function looped(): object {
  const self: Record<string, unknown> = {};
  self['self'] = self;
  return self;
}

const INT32 = (): BoundedBuffer<unknown> => wrong(BoundedBuffer.create({ arena, codec: 'int32', capacity: 2 }));
const FLOAT64 = (): BoundedBuffer<unknown> => wrong(BoundedBuffer.create({ arena, codec: 'float64', capacity: 2 }));
const SLOTS = (): BoundedBuffer<unknown> =>
  wrong(BoundedBuffer.create({ arena, codec: 'bytes', capacity: 2, slotBytes: 5 }));
const RING = (): BoundedBuffer<unknown> => wrong(BoundedBuffer.create({ arena, codec: 'bytes', ringBytes: 64 }));
const JSON_SLOTS = (): BoundedBuffer<unknown> => BoundedBuffer.create<unknown>({ arena, capacity: 2, slotBytes: 5 });
const JSON_RING = (): BoundedBuffer<unknown> =>
  BoundedBuffer.create<unknown>({ arena, codec: 'json', capacity: 4, ringBytes: 64 });
const OWN = (codec: unknown) => (): BoundedBuffer<unknown> =>
  BoundedBuffer.create<unknown>({ arena, codec: codec as Codec<unknown>, slotBytes: 32 });

type Refused = readonly [
  buffer: string,
  written: string,
  make: () => BoundedBuffer<unknown>,
  value: unknown,
  Class: typeof TypeError,
  says: string,
];

const REFUSED: readonly Refused[] = [
  ...[2 ** 31, -(2 ** 31) - 1, 0.5, Number.NaN, Infinity, -Infinity, 2 ** 53].map(
    (value): Refused => [
      'int32',
      `${value}`,
      INT32,
      value,
      RangeError,
      `whole number from -2^31 to 2^31 - 1, received ${value}`,
    ],
  ),
  ...[INT32, FLOAT64].flatMap((make): Refused[] => {
    const name = make === INT32 ? 'int32' : 'float64';
    return [
      [name, '"5"', make, '5', TypeError, 'must be a number, received "5"'],
      [name, '5n', make, 5n, TypeError, 'received 5n'],
      [name, 'undefined', make, undefined, TypeError, 'received undefined'],
      [name, 'null', make, null, TypeError, 'received null'],
      [name, 'true', make, true, TypeError, 'received true'],
      [name, '[5]', make, [5], TypeError, 'received an object of type Array'],
    ];
  }),
  ['bytes', '"text"', RING, 'text', TypeError, 'must be a Uint8Array, received "text"'],
  ['bytes', 'an array', RING, [1, 2], TypeError, 'received an object of type Array'],
  ['bytes', 'an ArrayBuffer', RING, new ArrayBuffer(4), TypeError, 'received an object of type ArrayBuffer'],
  ['bytes', 'an Int8Array', SLOTS, new Int8Array(4), TypeError, 'received an object of type Int8Array'],
  ['bytes', 'undefined', SLOTS, undefined, TypeError, 'received undefined'],
  ['bytes', 'one byte more than the slot', SLOTS, new Uint8Array(6), RangeError, 'may have 5 bytes, received one of 6'],
  [
    'bytes',
    'one byte more than the ring',
    RING,
    new Uint8Array(61),
    RangeError,
    'may have 60 bytes, received one of 61',
  ],
  ['bytes', 'a thousand times the ring', RING, new Uint8Array(64_000), RangeError, 'received one of 64000'],
  [
    'json',
    'undefined',
    JSON_SLOTS,
    undefined,
    TypeError,
    'the value cannot be represented in JSON, received undefined',
  ],
  ['json', 'a function', JSON_SLOTS, () => 0, TypeError, 'received a function'],
  ['json', 'a symbol', JSON_SLOTS, Symbol('s'), TypeError, 'received Symbol(s)'],
  ['json', '5n', JSON_RING, 5n, TypeError, 'BigInt'],
  ['json', 'a cyclic object', JSON_RING, looped(), TypeError, 'circular'],
  ['json', 'one byte more than the slot', JSON_SLOTS, 'four', RangeError, 'may have 5 bytes, received one of 6'],
  ['json', 'one byte more than the slot in UTF-8', JSON_SLOTS, 'ää', RangeError, 'received one of 6'],
  [
    'json',
    'one byte more than the ring',
    JSON_RING,
    'x'.repeat(59),
    RangeError,
    'may have 60 bytes, received one of 61',
  ],
  ['one’s own', 'what it fails for', OWN(POINTS), undefined, TypeError, 'undefined'],
  [
    'one’s own',
    'what it makes a string of',
    OWN({ ...POINTS, encode: () => 'text' }),
    1,
    TypeError,
    'the codec points must encode to a Uint8Array',
  ],
  [
    'one’s own',
    'what it makes too long',
    OWN({ ...POINTS, encode: () => new Uint8Array(33) }),
    1,
    RangeError,
    'received one of 33',
  ],
];

test.each(REFUSED)(
  'a push to a buffer of %s throws for %s in every form, and changes nothing',
  async (_, __, make, value, Class, says) => {
    const buffer = atEnd(make(), expectQuiet);
    const refused = (failure: unknown): void => {
      expect(failure).toBeInstanceOf(Class);
      expect((failure as Error).message).toContain(says);
    };
    for (const call of [
      () => buffer.push(value),
      () => buffer.tryPush(value),
      () => buffer.pushMany([value]),
      () => buffer.tryPushMany([value]),
    ]) {
      try {
        call();
        expect.unreachable('it was taken');
      } catch (failure) {
        refused(failure);
      }
    }
    refused(await buffer.pushAsync(value).catch((failure: unknown) => failure));
    expect([buffer.length, buffer.tryPop()]).toEqual([0, undefined]);
    expect(buffer.inspect().length).toBe(0);
  },
);

test.each([null, undefined, 'ab', { length: 1, 0: 1 }, new Set([1])])(
  'pushMany(%j) throws: it takes arrays',
  (values) => {
    const buffer = atEnd(BoundedBuffer.create<unknown>({ arena }), expectQuiet);
    expect(() => buffer.pushMany(wrong(values))).toThrow(TypeError);
    expect(() => buffer.tryPushMany(wrong(values))).toThrow('the values must be an array, received ');
    expect(buffer.length).toBe(0);
  },
);

describe('limits of the values that a buffer takes', () => {
  const taken = (buffer: BoundedBuffer<unknown>, value: unknown): unknown => {
    atEnd(buffer, expectQuiet).push(value);
    return buffer.pop();
  };

  test('the least and the largest int32, and every kind of float64, come back equal', () => {
    for (const value of [-(2 ** 31), 2 ** 31 - 1, 0, -1]) expect(taken(INT32(), value)).toBe(value);
    for (const value of [-0, Number.NaN, Infinity, -Infinity, 5e-324, Number.MAX_VALUE, 2 ** 53 + 2])
      expect(taken(FLOAT64(), value)).toBe(value);
  });

  test('no bytes, as many bytes as fit, parts of other arrays, and Node.js Buffers come back equal', () => {
    const parts = Uint8Array.of(1, 2, 3, 4, 5, 6, 7).subarray(1, 6);
    for (const value of [new Uint8Array(0), new Uint8Array(5).fill(9), parts])
      expect(taken(SLOTS(), value)).toEqual(value);
    expect(taken(RING(), new Uint8Array(60).fill(1))).toEqual(new Uint8Array(60).fill(1));
    expect(taken(RING(), Buffer.from('node'))).toEqual(new Uint8Array(Buffer.from('node')));
  });

  test('every value that JSON can represent comes back equal', () => {
    for (const value of [null, '', 'é€😀', { a: [1, { b: false }] }, -0.5, '\ud800', '\ufeffx'])
      expect(taken(JSON_RING(), value)).toEqual(value);
  });
});

test("popped bytes are the caller's own copy", () => {
  const buffer = atEnd(BoundedBuffer.create({ arena, codec: 'bytes', capacity: 2, slotBytes: 4 }), expectQuiet);
  const mine = Uint8Array.of(1, 2, 3);
  buffer.pushMany([mine, mine]);
  mine.fill(9);
  const one = buffer.pop();
  expect([one, one.buffer instanceof ArrayBuffer, one.byteLength]).toEqual([
    Uint8Array.of(1, 2, 3),
    true,
    one.buffer.byteLength,
  ]);
  one.fill(8);
  expect(buffer.pop()).toEqual(Uint8Array.of(1, 2, 3));
});

test('bytes that were transferred while their push waited do not block other producers', async () => {
  const buffer = BoundedBuffer.create({ arena, codec: 'bytes', capacity: 1, slotBytes: 8 });
  buffer.push(Uint8Array.of(1));
  const bytes = Uint8Array.of(1, 2, 3);
  const wait = buffer.pushAsync(bytes).catch(() => 'failed');
  await turn();
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  buffer.pop();
  await wait;
  buffer.tryPop();
  expect(buffer.tryPush(Uint8Array.of(4))).toBe(true);
});

test('bytes that grow while their push waits use no more room than was granted', async () => {
  const buffer = BoundedBuffer.create({ arena, codec: 'bytes', ringBytes: 32 });
  const values = [
    Uint8Array.of(1, 2, 3, 4),
    Uint8Array.of(5, 6, 7, 8),
    Uint8Array.of(9, 10, 11, 12),
    Uint8Array.of(13, 14, 15, 16),
  ];
  buffer.pushMany(values);
  const growing = new Uint8Array(
    new (ArrayBuffer as new (bytes: number, options: object) => ArrayBuffer)(4, { maxByteLength: 64 }),
  );
  const wait = buffer.pushAsync(growing).catch(() => 'failed');
  await turn();
  (growing.buffer as ArrayBuffer & { resize(bytes: number): void }).resize(12);
  expect(buffer.pop()).toEqual(values[0]);
  await wait;
  expect(buffer.popMany(3)).toEqual(values.slice(1));
});

test('pushMany() takes numbers in a typed array', () => {
  const buffer = BoundedBuffer.create({ codec: 'int32', capacity: 4 });
  expect([buffer.pushMany(new Int32Array([1, -2, 3])), buffer.popMany(4)]).toEqual([3, [1, -2, 3]]);
  expect(() => buffer.tryPushMany(new DataView(new ArrayBuffer(8)) as never)).toThrow('must be an array');
  buffer.free();
});

test('from() of a buffer with a custom codec throws without the codec', () => {
  const codec = {
    name: 'own',
    encode: (value: number) => new Uint8Array([value]),
    decode: (bytes: Uint8Array) => bytes[0] ?? 0,
  };
  const buffer = BoundedBuffer.create({ codec });
  expect(() => BoundedBuffer.from(buffer.handle)).toThrow(
    'The buffer was made with the codec "own": pass it, from(handle, { codec })',
  );
  buffer.free();
});
