// Values, words and conditions for which calls throw, and that such a call changes nothing.

import { Arena, MisuseError, Region } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import {
  addressWaitUntil,
  addressWaitUntilAsync,
  keyOf,
  SharedWord,
  waitOnAddress,
  waitOnAddressAsync,
  wakeByAddressAll,
  wakeByAddressSingle,
} from '../src/index.ts';

const arena = Arena.create({ maxPages: 16 });
const bad = (value: unknown): never => value as never;

const CALLS: readonly (readonly [string, (word: SharedWord, value: never) => unknown])[] = [
  ['store', (word, value) => word.store(value)],
  ['add', (word, value) => word.add(value)],
  ['exchange', (word, value) => word.exchange(value)],
  ['compareExchange, expected', (word, value) => word.compareExchange(value, 1)],
  ['compareExchange, value', (word, value) => word.compareExchange(7, value)],
];

describe.each(CALLS)('%s', (_, call) => {
  const word = SharedWord.create(7, { arena });

  test.each([[1.5], [Number.NaN], [2 ** 31], [-(2 ** 31) - 1], [Infinity]])('throws a RangeError for %d', (value) => {
    expect(() => call(word, bad(value))).toThrow(RangeError);
    expect(word.load()).toBe(7);
  });

  test.each([[undefined], [null], ['3'], [3n], [{}]])(
    'throws a TypeError for a value that is not a number (%s)',
    (value) => {
      expect(() => call(word, bad(value))).toThrow(TypeError);
      expect(word.load()).toBe(7);
    },
  );

  test('a call of a freed word throws, and leaves the block that reuses its memory unchanged', () => {
    const region = Region.create(8, { arena });
    const old = SharedWord.at(region, 1);
    region.free();
    const next = Region.create(8, { arena });
    next.int32[1] = 7;
    expect(() => call(old, bad(3))).toThrow(MisuseError);
    expect(() => old.load()).toThrow(MisuseError);
    expect(next.int32[1]).toBe(7);
  });
});

test('a word holds -(2 ** 31) and 2 ** 31 - 1', () => {
  const word = SharedWord.create(0, { arena });
  word.store(2 ** 31 - 1);
  expect([word.add(1), word.exchange(-1), word.compareExchange(-1, -(2 ** 31)), word.load()]).toEqual([
    2 ** 31 - 1,
    -(2 ** 31),
    -1,
    -(2 ** 31),
  ]);
});

test('waitOnAddress(), waitOnAddressAsync() and wakeByAddress…() throw a TypeError for a key', async () => {
  const key = bad(keyOf(SharedWord.create(0, { arena }), 1));
  const says = /^The word must be a SharedWord: received /;
  expect(() => waitOnAddress(key, 0, 1)).toThrow(says);
  expect(() => wakeByAddressSingle(key)).toThrow(says);
  expect(() => wakeByAddressAll(key)).toThrow(says);
  await expect(waitOnAddressAsync(key, 0)).rejects.toThrow(says);
});

test('addressWaitUntil() throws for a condition that returns a promise, and no element stays in a chain', async () => {
  const word = SharedWord.create(0, { arena });
  const later = (): Promise<boolean> => Promise.resolve(false);
  expect(() => addressWaitUntil(word, later, 1)).toThrow(TypeError);
  await expect(addressWaitUntilAsync(word, later)).rejects.toThrow('returned a promise');
  let looks = 0;
  expect(() => addressWaitUntil(word, () => (looks++ === 0 ? false : later()))).toThrow(TypeError);
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
});
