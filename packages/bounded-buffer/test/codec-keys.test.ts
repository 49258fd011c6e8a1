// Values with unusual keys, through every codec of objects. The expected value is that of `structuredClone`.

import { expect, test } from 'vitest';
import { Random } from '../../../tools/harness/src/random.mjs';
import { msgpack } from '../src/msgpack.ts';
import { BoundedBuffer } from '../src/index.ts';

const KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__proto_',
  '\0__proto__',
  '\0\0__proto__',
  '__defineGetter__',
  'length',
  'name',
  '',
  '0',
  '-1',
  'a b',
  'ü',
  'then',
  'toJSON_',
];
const TEXTS = [
  '__proto__',
  '\0__proto__',
  'text that contains __proto__',
  '_',
  '__proto',
  `${'x'.repeat(200)}__proto__`,
];

/** Returns a random value of objects and arrays. With `isRich` it also has maps, sets and shared or cyclic objects. */
function valueOf(random: Random, depth: number, isRich: boolean, made: unknown[] = []): unknown {
  const inner = (): unknown => valueOf(random, depth - 1, isRich, made);
  if (depth === 0 || random.chance(25)) return random.pick<unknown>([1, null, true, ...TEXTS]);
  if (isRich && made.length > 0 && random.chance(15)) return random.pick(made);
  if (random.chance(20)) {
    const list: unknown[] = [];
    made.push(list);
    for (let left = random.below(3); left > 0; left--) list.push(inner());
    return list;
  }
  if (isRich && random.chance(20))
    return random.chance(50)
      ? new Map([
          [inner(), inner()],
          ['__proto__', inner()],
        ])
      : new Set([inner(), '__proto__']);
  const object = {};
  made.push(object);
  for (let left = random.below(5); left >= 0; left--) {
    Object.defineProperty(object, random.pick(KEYS), {
      value: inner(),
      configurable: true,
      enumerable: true,
      writable: true,
    });
  }
  return object;
}

/**
 * Returns what a program can observe of a value: classes, own properties with their descriptors and order, and which
 * objects are identical.
 */
function shown(value: unknown, seen = new Map<unknown, number>()): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const known = seen.get(value);
  if (known !== undefined) return `object ${known}`;
  seen.set(value, seen.size);
  const members = value instanceof Map ? [...value].flat() : value instanceof Set ? [...value] : [];
  const properties = Reflect.ownKeys(value).map((key) => {
    const { value: own, ...rest } = Object.getOwnPropertyDescriptor(value, key) as { readonly value?: unknown };
    return [key, rest, shown(own, seen)];
  });
  return [
    Object.prototype.toString.call(value),
    Object.getPrototypeOf(value) === Object.prototype,
    members.map((member) => shown(member, seen)),
    properties,
  ];
}

const CODECS = {
  msgpack: { codec: msgpack(), isRich: true },
  json: { codec: undefined, isRich: false },
};

test.each(Object.entries(CODECS))(
  'the codec %s keeps every key of an object as structuredClone does',
  (_, { codec, isRich }) => {
    const random = new Random(1);
    const buffer = BoundedBuffer.create<unknown>({ ...(codec === undefined ? {} : { codec }), ringBytes: 65_536 });
    for (let round = 0; round < 500; round++) {
      const value = valueOf(random, 4, isRich);
      const before = shown(value);
      buffer.push(value);
      const found = buffer.pop();
      expect(shown(found)).toEqual(shown(structuredClone(value)));
      expect(shown(value)).toEqual(before);
    }
    expect(Reflect.ownKeys(Object.prototype)).toContain('__proto__');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  },
);

test('msgpack keeps a value that mentions __proto__ and that structuredClone cannot clone', () => {
  const codec = msgpack();
  const found = codec.decode(codec.encode({ text: '__proto__', call: () => 1 })) as { text: string };
  expect(found.text).toBe('__proto__');
});
