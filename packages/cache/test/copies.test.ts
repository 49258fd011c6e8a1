// Hits of JSON get copies of a value that the instance keeps decoded. A copy is what decoding the text anew gives.

import { Session, scale, type Random } from '@sluice/harness';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { Copies } from '../src/copies.ts';

const NAMES = ['a', 'b', '7', '__proto__', 'constructor', 'toString', '', 'ü'];

function valueFrom(random: Random, depth = 3): unknown {
  const leaf = random.below(8);
  if (depth === 0 || leaf < 4) return random.pick([0, -0, 1.5, '', 'text', true, false, null, '\ud800']);
  if (leaf < 6) return Array.from({ length: random.below(4) }, () => valueFrom(random, depth - 1));
  // `JSON.parse` alone makes an own property `__proto__`.
  const properties = Array.from(
    { length: random.below(4) },
    () => `${JSON.stringify(random.pick(NAMES))}:${JSON.stringify(valueFrom(random, depth - 1))}`,
  );
  return JSON.parse(`{${properties.join()}}`);
}

/** A reader of one key that counts how often it decodes. */
class Reader {
  readonly copies = new Copies();
  decoded = 0;

  /** Reads a value as a hit does: it gets no bytes if the version is known. */
  read(key: string, text: string, version: number): unknown {
    const bytes = this.copies.versionOf(key) === version ? new Uint8Array(0) : new TextEncoder().encode(text);
    return this.copies.valueOf(key, { bytes, version, isStale: false }, (encoded) => {
      this.decoded += 1;
      return JSON.parse(new TextDecoder().decode(encoded)) as unknown;
    });
  }
}

/** Whether two values share an array or an object. */
function sharesWith(one: unknown, other: unknown): boolean {
  const within = (value: unknown): object[] =>
    typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(within)] : [];
  const all = new Set(within(one));
  return within(other).some((each) => all.has(each));
}

test('every hit gets a value of its own that equals the decoded text, in every property', () => {
  const session = new Session('copies');
  for (let round = 0; round < scale(300); round++) {
    const text = JSON.stringify(valueFrom(session.random));
    const reader = new Reader();
    const values = Array.from({ length: 4 }, () => reader.read('k', text, 7));
    for (const value of values) {
      // A matcher of the test runner reads `constructor`, which may be a property of the value.
      expect(isDeepStrictEqual(value, JSON.parse(text))).toBe(true);
      expect(JSON.stringify(value)).toBe(text);
    }
    for (const [index, value] of values.entries())
      for (const other of values.slice(index + 1)) expect(sharesWith(value, other)).toBe(false);
    expect(reader.decoded).toBe(2);
  }
});

test('a change of a value by the program reaches no later hit', () => {
  const reader = new Reader();
  for (let hit = 0; hit < 4; hit++) {
    const value = reader.read('k', '{"list":[{"n":1}]}', 7) as { list: { n: number }[] };
    expect(value).toEqual({ list: [{ n: 1 }] });
    value.list.push({ n: 2 });
    for (const each of value.list) each.n = 3;
  }
});

test('a setter on Object.prototype is not called', () => {
  const called: unknown[] = [];
  Object.defineProperty(Object.prototype, 'trap', { configurable: true, set: (value) => called.push(value) });
  try {
    const reader = new Reader();
    for (let hit = 0; hit < 3; hit++) expect(reader.read('k', '{"trap":{"n":1}}', 7)).toHaveProperty('trap', { n: 1 });
  } finally {
    delete (Object.prototype as { trap?: unknown }).trap;
  }
  expect(called).toEqual([]);
});

test('a new version is decoded, and a forgotten value is, too', () => {
  const reader = new Reader();
  const read = (version: number): unknown => reader.read('k', `[${version}]`, version);
  expect([1, 1, 1, 2, 2, 2].map(read)).toEqual([[1], [1], [1], [2], [2], [2]]);
  expect(reader.decoded).toBe(4);
  reader.copies.forget('k');
  expect([read(2), read(2), read(2)]).toEqual([[2], [2], [2]]);
  expect(reader.decoded).toBe(6);
  reader.copies.forgetAll();
  expect(read(2)).toEqual([2]);
  expect(reader.decoded).toBe(7);
});

test('a value that is nested too deeply to be copied is decoded at each hit', () => {
  const reader = new Reader();
  const text = '['.repeat(3000) + ']'.repeat(3000);
  for (let hit = 0; hit < 4; hit++) expect(JSON.stringify(reader.read('k', text, 7))).toBe(text);
  expect(reader.decoded).toBe(4);
});

test('the kept values have at most 2 MiB of text, and those used last stay', () => {
  const reader = new Reader();
  const text = JSON.stringify('x'.repeat(900_000));
  for (const key of ['a', 'a', 'b', 'b', 'a', 'c', 'c']) reader.read(key, text, 7);
  expect(reader.decoded).toBe(6);
  expect(['a', 'b', 'c'].map((key) => reader.copies.versionOf(key))).toEqual([7, 0, 7]);
  const huge = JSON.stringify('x'.repeat(3 * 2 ** 20));
  for (let hit = 0; hit < 3; hit++) reader.read('huge', huge, 7);
  expect(reader.decoded).toBe(9);
  expect(['a', 'c', 'huge'].map((key) => reader.copies.versionOf(key))).toEqual([7, 7, 0]);
});

test('at most 1024 values are remembered', () => {
  const reader = new Reader();
  for (let read = 0; read < 2 * 1025; read++) reader.read(`${read % 1025}`, '1', 7);
  expect(reader.decoded).toBe(2050);
  expect(reader.read('1024', '1', 7)).toBe(1);
  expect(reader.decoded).toBe(2051);
});
