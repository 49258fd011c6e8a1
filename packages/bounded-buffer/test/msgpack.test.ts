import { expect, test } from 'vitest';
import { BoundedBuffer } from '../src/index.ts';
import { msgpack } from '../src/msgpack.ts';

const VALUES: readonly unknown[] = [
  null,
  undefined,
  -0.5,
  'ü',
  123456789012345678n,
  [1, [2], { three: [3] }],
  new Map<unknown, unknown>([['a', new Set([1, 2])]]),
  new Date(86_400_000),
  new Uint16Array([1, 2, 65_535]),
  { a: { b: undefined, c: [new Date(1)] } },
];

test.each(VALUES.map((value, index) => [index, value] as const))(
  'structured value %i comes out unchanged',
  (_, value) => {
    const buffer = BoundedBuffer.create({ codec: msgpack(), ringBytes: 1024 });
    const twin = BoundedBuffer.from(buffer.handle, { codec: msgpack() });
    buffer.push(value);
    buffer.push(value);
    expect([twin.pop(), buffer.pop()]).toEqual([value, value]);
    buffer.free();
  },
);

test('an error keeps its message, and a cyclic value its cycle', () => {
  const buffer = BoundedBuffer.create<unknown>({ codec: msgpack(), ringBytes: 4096 });
  const circle: { self?: unknown; why: Error } = { why: new RangeError('too far') };
  circle.self = circle;
  buffer.push(circle);
  const found = buffer.pop() as typeof circle;
  expect([found.self === found, found.why instanceof Error, found.why.message]).toEqual([true, true, 'too far']);
  buffer.free();
});

test('from() of a buffer of msgpack needs that codec', () => {
  const { handle } = BoundedBuffer.create({ codec: msgpack(), ringBytes: 1024 });
  expect(() => BoundedBuffer.from(handle)).toThrow('was made with the codec "msgpack": pass it');
});
