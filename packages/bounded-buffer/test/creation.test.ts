// Wrong arguments of create() and from().

import { Arena, HandleError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { FULL, fullArena } from '../../core/test/support/full-arena.ts';
import { wrong } from '../../core/test/support/misuse-table.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { BoundedBuffer, type Codec } from '../src/index.ts';
import { POINTS } from './support/kinds.ts';
import { withoutAges } from '../../core/test/support/without-ages.ts';

const arena = Arena.create({ maxPages: 16 });
const MOST = 2 ** 24;

type Row = readonly [written: string, options: object, error: string, says: string];

const NUMBERS = (option: string, rest: object, least: number, most: number): Row[] => [
  ...[least - 1, -1, 1.5, most + 1, Number.NaN, Infinity].map((value): Row => {
    return [
      `${option}: ${value}`,
      { ...rest, [option]: value },
      'RangeError',
      `${option} must be a whole number from ${least} to ${most}: received ${value}`,
    ];
  }),
  ...(['x', '8', 8n, null, {}] as const).map((value): Row => {
    const written = typeof value === 'bigint' ? `${value}n` : JSON.stringify(value);
    return [`${option}: ${written}`, { ...rest, [option]: value }, 'TypeError', `${option} must be a number: received`];
  }),
];

const ROWS: readonly Row[] = [
  ...['int32', 'float64', 'bytes', 'json'].flatMap((codec) =>
    NUMBERS('capacity', { codec }, 1, MOST).map(
      ([written, ...rest]): Row => [`codec: '${codec}', ${written}`, ...rest],
    ),
  ),
  ['capacity: 2 ** 25', { codec: 'int32', capacity: 2 ** 25 }, 'RangeError', `from 1 to ${MOST}: received ${2 ** 25}`],
  ...NUMBERS('slotBytes', { codec: 'bytes' }, 1, 2 ** 20),
  ...NUMBERS('ringBytes', { codec: 'json' }, 8, 2 ** 28),
  ['ringBytes: 4', { ringBytes: 4 }, 'RangeError', 'from 8 to 268435456: received 4'],
  [
    'slotBytes and ringBytes together',
    { slotBytes: 8, ringBytes: 64 },
    'TypeError',
    'slotBytes and ringBytes exclude each other: received 8 and 64',
  ],
  [
    'more slots than the memory holds',
    { capacity: MOST, slotBytes: 16 },
    'RangeError',
    `may have ${2 ** 28} bytes: received ${MOST} of 16`,
  ],
  [
    'more values than words',
    { capacity: 17, ringBytes: 64 },
    'RangeError',
    'not be more than ringBytes / 4, 16: received 17',
  ],
  ...['int32', 'float64'].flatMap((codec): Row[] => [
    [
      `${codec} in slots`,
      { codec, slotBytes: 8 },
      'TypeError',
      `A buffer of ${codec} has neither slotBytes nor ringBytes`,
    ],
    [
      `${codec} in a ring`,
      { codec, ringBytes: 64 },
      'TypeError',
      `A buffer of ${codec} has neither slotBytes nor ringBytes`,
    ],
  ]),
  [
    "codec: 'utf8'",
    { codec: 'utf8' },
    'TypeError',
    `The codec must be 'int32', 'float64', 'bytes', 'json' or an object: received "utf8"`,
  ],
  ["codec: ''", { codec: '' }, 'TypeError', 'received ""'],
  ['codec: 5', { codec: 5 }, 'TypeError', 'received 5'],
  ['codec: null', { codec: null }, 'TypeError', 'received null'],
  [
    'codec: {}',
    { codec: {} },
    'TypeError',
    'A codec must have a name, encode and decode: received an object of type Object',
  ],
  ...(['name', 'encode', 'decode'] as const).map((part): Row => {
    return [
      `a codec without ${part}`,
      { codec: { ...POINTS, [part]: undefined } },
      'TypeError',
      'A codec must have a name, encode and decode',
    ];
  }),
  [
    'a codec whose name is empty',
    { codec: { ...POINTS, name: '' } },
    'TypeError',
    'A codec must have a name, encode and decode',
  ],
  [
    'a codec whose name is a number',
    { codec: { ...POINTS, name: 5 } },
    'TypeError',
    'A codec must have a name, encode and decode',
  ],
];

describe('create()', () => {
  test.each(ROWS)('throws for { %s } and allocates nothing', (_, options, error, says) => {
    const before = arena.inspect();
    expect(() => BoundedBuffer.create(wrong({ arena, ...options }))).toThrow(
      expect.objectContaining({ name: error }) as Error,
    );
    expect(() => BoundedBuffer.create(wrong({ arena, ...options }))).toThrow(says);
    expect(withoutAges(arena.inspect())).toEqual(withoutAges(before));
  });

  test('takes the least and the largest values of its options', () => {
    const edges = [
      { codec: 'int32', capacity: 1 },
      { ringBytes: 8 },
      { slotBytes: 1, capacity: 1 },
      { capacity: 16, ringBytes: 64 },
    ];
    for (const options of edges) {
      const buffer = BoundedBuffer.create<number>(wrong({ arena, ...options }));
      buffer.push(7);
      expect(buffer.pop()).toBe(7);
      buffer.free();
    }
    expect(BoundedBuffer.create({ arena, codec: 'bytes', ringBytes: 67 }).inspect().ringBytes).toBe(64);
  });

  test('throws in a full arena, and changes nothing', () => {
    const { arena: full } = fullArena(() => undefined);
    const before = full.inspect();
    expect(() => BoundedBuffer.create({ arena: full, codec: 'int32' })).toThrow(expect.objectContaining(FULL) as Error);
    expect(withoutAges(full.inspect())).toEqual(withoutAges(before));
    const small = Arena.create({ maxPages: 2 });
    expect(() => BoundedBuffer.create({ arena: small, codec: 'int32', capacity: MOST })).toThrow(
      expect.objectContaining(FULL) as Error,
    );
  });

  test('create() of a ring with a capacity limits its values to that number', () => {
    const buffer = BoundedBuffer.create({ arena, codec: 'bytes', capacity: 6, ringBytes: 64 });
    for (let values = 0; buffer.tryPush(new Uint8Array(1)); values++) expect(values).toBeLessThan(6);
    expect(buffer.length).toBeLessThanOrEqual(6);
  });

  test.each(['int32', 'float64', 'bytes', 'json'])(
    'throws for a custom codec named %s, the name of a built-in codec',
    (name) => {
      const shout: Codec<string> = {
        name,
        encode: (text) => Buffer.from(text),
        decode: (bytes) => Buffer.from(bytes).toString(),
      };
      expect(() => BoundedBuffer.create<string>({ arena, codec: shout, slotBytes: 8 })).toThrow(
        `must not be that of a built-in codec: received "${name}"`,
      );
    },
  );
});

describe('from()', () => {
  const make = (): BoundedBuffer<{ x: number; y: number }> =>
    BoundedBuffer.create({ arena, codec: POINTS, slotBytes: 16, capacity: 2 });

  test('opens a buffer with a custom codec only if it gets that codec', () => {
    const { handle } = make();
    expect(() => BoundedBuffer.from(handle)).toThrow(TypeError);
    const other: Codec<unknown> = { ...(POINTS as Codec<unknown>), name: 'others' };
    expect(() => BoundedBuffer.from(handle, { codec: other })).toThrow(
      'was made with the codec "points": received "others"',
    );
    expect(() => BoundedBuffer.from(handle, wrong({ codec: {} }))).toThrow(TypeError);
    expect(() => BoundedBuffer.from(handle, wrong({ codec: 'json' }))).toThrow(
      'was made with the codec "points": received "json"',
    );
    const twin = BoundedBuffer.from(handle, { codec: POINTS });
    twin.push({ x: 1, y: 2 });
    expect(twin.pop()).toEqual({ x: 1, y: 2 });
  });

  test('throws for a custom codec when the buffer has a built-in one', () => {
    const numbers = BoundedBuffer.create({ arena, codec: 'int32' });
    for (const codec of ['float64', 'bytes', 'json', POINTS]) {
      expect(() => BoundedBuffer.from(numbers.handle, wrong({ codec }))).toThrow('was made with the codec "int32"');
    }
    expect(BoundedBuffer.from<number>(numbers.handle, wrong({ codec: 'int32' })).tryPop()).toBeUndefined();
  });

  test.each(['float64', 'bytes', 'json'])('throws for an int32 handle that was changed to %s', (codec) => {
    const { handle } = BoundedBuffer.create({ arena, codec: 'int32' });
    expect(() => BoundedBuffer.from<number>({ ...handle, codec })).toThrow(HandleError);
    expect(() => BoundedBuffer.from({ ...handle, codec: wrong(undefined) })).toThrow(TypeError);
  });

  test('throws for the handle of a freed buffer, even if another agent reuses the memory', () => {
    const ours = make();
    const theirs = openAs(secondAgent(arena), ours.handle, (handle) => BoundedBuffer.from(handle, { codec: POINTS }));
    theirs.free();
    expect(() => BoundedBuffer.from(ours.handle, { codec: POINTS })).toThrow(HandleError);
    const next = make();
    expect(next.handle.address).toBe(ours.handle.address);
    expect(() => BoundedBuffer.from(ours.handle, { codec: POINTS })).toThrow('what it led to was freed');
    next.free();
  });
});
