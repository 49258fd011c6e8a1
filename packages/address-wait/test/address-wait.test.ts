// Behaviour that only one of the four ways to wait has.

import { Arena, HandleError, MisuseError, Region } from '@sluice/core';
import { IDLE } from '@sluice/core/format';
import { contextOf } from '@sluice/core/internal';
import { expect, test, vi } from 'vitest';
import { SLOT } from '../../core/src/kernel/layout.ts';
import {
  addressSignal,
  addressWaitUntil,
  addressWaitUntilAsync,
  keyMonitor,
  keyOf,
  keySignal,
  keySignalPolite,
  keyWait,
  keyWaitLazy,
  locationWait,
  locationWakeAll,
  locationWakeAllPolite,
  SharedWord,
  waitOnAddress,
} from '../src/index.ts';
import { spotOf } from '../src/key.ts';

const arena = Arena.create({ maxPages: 16 });

test('addressWaitUntil() returns the value of its condition', () => {
  const word = SharedWord.create(0, { arena });
  let looks = 0;
  expect(addressWaitUntil(word, () => ((looks += 1) === 1 ? 'at once' : undefined))).toBe('at once');
  expect(looks).toBe(1);
});

test('a change between the first evaluation of a condition and the enqueue is seen by the second evaluation', () => {
  const word = SharedWord.create(0, { arena });
  let looks = 0;
  // A signal between the two evaluations found no waiter. Without the second evaluation this agent would sleep forever.
  const seen = addressWaitUntil(word, () => {
    looks += 1;
    if (looks === 2) return 'seen';
    word.store(1);
    addressSignal(word);
    return undefined;
  });
  expect([seen, looks]).toEqual(['seen', 2]);
  expect(arena.inspect().elements).toMatchObject({ waiting: 0 });
});

test('addressWaitUntil() throws the error of its condition, and no element stays in a chain', () => {
  const word = SharedWord.create(0, { arena });
  const throwAt = (bad: number): void => {
    let looks = 0;
    const throwing = (): false => {
      looks += 1;
      if (looks === bad) throw new RangeError(`evaluation ${bad}`);
      return false;
    };
    expect(() => addressWaitUntil(word, throwing)).toThrow(`evaluation ${bad}`);
  };
  // The agent keeps the element of a wait for its next wait.
  throwAt(2);
  const { free } = arena.inspect().elements;
  for (const bad of [1, 2]) for (let time = 0; time < 20; time++) throwAt(bad);
  expect(arena.inspect().elements.free).toBe(free);
});

test('addressWaitUntilAsync() rejects when its condition throws after a wake-up, and wakes the waiters below it', async () => {
  const word = SharedWord.create(0, { arena });
  const others = [0, 1, 2].map(() => addressWaitUntilAsync(word, () => word.load() === 1));
  const bad = addressWaitUntilAsync(word, () => {
    if (word.load() === 1) throw new Error('no');
    return false;
  });
  word.store(1);
  addressSignal(word);
  await expect(bad).rejects.toThrow('no');
  await Promise.all(others);
});

test('a condition may wait itself, even for the same key', () => {
  const word = SharedWord.create(0, { arena });
  const nested = addressWaitUntil(word, () => {
    const inner = addressWaitUntil(word, () => false, 1);
    word.add(1);
    return inner || word.load() >= 2;
  });
  expect(nested).toBe(true);
  expect(word.load()).toBe(2);
});

test('keyMonitor() counts the signals of all keys in a bucket', () => {
  const word = SharedWord.create(0, { arena });
  const before = keyMonitor(word);
  keySignal(word);
  keySignalPolite(word);
  expect(keyMonitor(word)).toBe(before + 2);
  expect(keyWait(word, before)).toBe(true);
  expect(keyWait(word, before + 2, 1)).toBe(false);
});

test('keyWaitLazy() returns at once when its sequence is not the current one', () => {
  const word = SharedWord.create(0, { arena });
  const sequence = keyWaitLazy(word, -1);
  expect(sequence).toBe(keyMonitor(word));
  expect(keyWaitLazy(word, sequence, 1)).toBe(sequence);
  keySignal(word);
  expect(keyWaitLazy(word, sequence)).toBe(sequence + 1);
});

test('keyMonitor() counts beyond 2^32', () => {
  const word = SharedWord.create(0, { arena });
  expect(Number.isInteger(keyMonitor(word))).toBe(true);
  expect(keyWait(word, 2 ** 40)).toBe(true);
});

test('locationWait() alternates between enqueueing and waiting, and its loop may end after either', () => {
  const [word, elsewhere] = [SharedWord.create(0, { arena }), SharedWord.create(0, { arena })];
  expect(locationWait(word)).toBe(true); // pushes the element
  locationWakeAll(word);
  expect(locationWait(word)).toBe(true); // sleeps until the signal
  expect(locationWait(word)).toBe(true); // pushes the element again, and leaves it there
  expect(locationWait(elsewhere)).toBe(true); // first removes the element from the other location
  expect(locationWait(elsewhere, 1)).toBe(false);
  expect(arena.inspect().elements).toMatchObject({ waiting: 0 });
});

test('locationWakeAllPolite() exchanges the chain only if a waiter is in it', () => {
  const word = SharedWord.create(0, { arena });
  const { words, kernel } = contextOf(arena);
  const { bucket } = spotOf(word);
  const exchange = vi.spyOn(kernel, 'signalSlot');
  locationWakeAllPolite(word);
  expect(exchange.mock.results.map(({ value }) => value as unknown)).toEqual([IDLE]);
  expect(locationWait(word)).toBe(true); // pushes the element
  expect(words.load32(bucket + SLOT)).not.toBe(0);
  locationWakeAllPolite(word);
  expect([words.load32(bucket + SLOT), locationWait(word)]).toEqual([0, true]);
  exchange.mockRestore();
});

test('a key computes its bucket once, and throws after its word was freed', () => {
  const word = SharedWord.create(0, { arena });
  const key = keyOf(word, 7);
  expect([spotOf(word) === spotOf(word), spotOf(key) === spotOf(key)]).toEqual([true, true]);
  expect(spotOf(keyOf(word, 7)).bucket).toBe(spotOf(key).bucket);
  word.free();
  expect(() => spotOf(word)).toThrow(MisuseError);
  expect(() => spotOf(key)).toThrow(MisuseError);
});

test('consecutive tickets of a word have different keys in different buckets', () => {
  const word = SharedWord.create(0, { arena });
  const [one, two] = [keyOf(word, 1), keyOf(word, 2)];
  const before = keyMonitor(two);
  keySignal(one);
  expect(keyMonitor(two)).toBe(before);
  expect(keyMonitor(keyOf(word, 2))).toBe(before);
});

test('all agents see the value of a word, and add(), exchange() and compareExchange() return the previous value', () => {
  const region = Region.create(64, { arena });
  const word = SharedWord.at(region, 3);
  const same = SharedWord.from(structuredClone(word.handle));
  expect([
    word.add(5),
    same.load(),
    same.exchange(-1),
    word.compareExchange(-1, 2),
    word.compareExchange(0, 9),
    same.load(),
  ]).toEqual([0, 5, 5, -1, 2, 2]);
  word.add(2 ** 31 - 1);
  expect(word.load()).toBe(-(2 ** 31) + 1);
  expect(region.int32[3]).toBe(word.load());
});

test('every call on a freed word throws a MisuseError, and from() of its handle a HandleError', () => {
  const word = SharedWord.create(0, { arena });
  const { handle } = word;
  word.free();
  for (const call of [
    () => addressSignal(word),
    () => waitOnAddress(word, 0),
    () => keyMonitor(word),
    () => locationWait(word),
  ]) {
    expect(call).toThrow(MisuseError);
  }
  expect(() => SharedWord.from(handle)).toThrow(HandleError);
});

test('posting a word instead of its handle throws', () => {
  expect(() => structuredClone(SharedWord.create(0, { arena }))).toThrow('could not be cloned');
});
