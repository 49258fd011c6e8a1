// Bad input: a typed error that says what came, and nothing changed.

import { Arena, Region, Semaphore } from '@sluice/core';
import { afterEach, describe, expect, test } from 'vitest';
import * as api from '../src/index.ts';
import { SharedWord } from '../src/index.ts';

const arena = Arena.create({ maxPages: 16 });
const word = SharedWord.create(7, { arena });
const bad = (value: unknown): never => value as never;
const yes = (): boolean => true;

const KEYS: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['0', 0],
  ['a string', 'key'],
  ['a region', Region.create(8, { arena })],
  ['a semaphore', Semaphore.create(1, { arena })],
  ['a handle', word.handle],
  ['an Int32Array', new Int32Array(1)],
];

const CALLS: readonly (readonly [string, (key: never) => unknown])[] = [
  ['waitOnAddress', (key) => api.waitOnAddress(key, 0)],
  ['wakeByAddressSingle', (key) => api.wakeByAddressSingle(key)],
  ['wakeByAddressAll', (key) => api.wakeByAddressAll(key)],
  ['addressWaitUntil', (key) => api.addressWaitUntil(key, yes)],
  ['addressSignal', (key) => api.addressSignal(key)],
  ['addressSignalPolite', (key) => api.addressSignalPolite(key)],
  ['keyMonitor', (key) => api.keyMonitor(key)],
  ['keyWait', (key) => api.keyWait(key, 0)],
  ['keyWaitLazy', (key) => api.keyWaitLazy(key, 0)],
  ['keySignal', (key) => api.keySignal(key)],
  ['keySignalPolite', (key) => api.keySignalPolite(key)],
  ['locationWait', (key) => api.locationWait(key)],
  ['locationWakeAll', (key) => api.locationWakeAll(key)],
  ['keyOf', (key) => api.keyOf(key, 0)],
];

const ASYNC_CALLS: readonly (readonly [string, (key: never) => Promise<unknown>])[] = [
  ['waitOnAddressAsync', (key) => api.waitOnAddressAsync(key, 0)],
  ['addressWaitUntilAsync', (key) => api.addressWaitUntilAsync(key, yes)],
  ['keyWaitAsync', (key) => api.keyWaitAsync(key, 0)],
];

afterEach(() => {
  expect(word.load()).toBe(7);
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
});

describe.each(KEYS)('a key that is %s', (_, key) => {
  test.each(CALLS)('%s throws TypeError', (_name, call) => {
    expect(() => call(bad(key))).toThrow(TypeError);
  });
  test.each(ASYNC_CALLS)('%s rejects with TypeError', async (_name, call) => {
    await expect(call(bad(key))).rejects.toThrow(TypeError);
  });
});

test.each([
  ['a timeout of -1', () => api.addressWaitUntil(word, yes, -1), RangeError, 'received -1'],
  ['a timeout of NaN', () => api.keyWait(word, 0, Number.NaN), RangeError, 'received NaN'],
  ['a timeout that is a string', () => api.locationWait(word, bad('1')), TypeError, 'received "1"'],
  ['a condition that is no function', () => api.addressWaitUntil(word, bad(1)), TypeError, 'received 1'],
  ['a sequence of 1.5', () => api.keyWait(word, 1.5), RangeError, 'received 1.5'],
  ['a sequence of -2', () => api.keyWaitLazy(word, -2), RangeError, 'received -2'],
  ['an expected value past 32 bits', () => api.waitOnAddress(word, 2 ** 31), RangeError, 'received 2147483648'],
  ['an expected value that is undefined', () => api.waitOnAddress(word, bad(undefined)), TypeError, 'received undefined'],
  ['a ticket of -1', () => api.keyOf(word, -1), RangeError, 'received -1'],
  ['an index outside its region', () => SharedWord.at(Region.create(8, { arena }), 2), RangeError, 'received 2'],
  ['a region of three bytes', () => SharedWord.at(Region.create(3, { arena }), 0), RangeError, 'received 0'],
  ['a region that is none', () => SharedWord.at(bad({}), 0), TypeError, 'The region must be a Region'],
  ['a first value of 0.5', () => SharedWord.create(0.5, { arena }), RangeError, 'received 0.5'],
  ['a handle that is none', () => SharedWord.from(bad({ kind: 'x' })), TypeError, 'The handle must be that of a SharedWord'],
  ['a handle of undefined', () => SharedWord.from(bad(undefined)), TypeError, 'received undefined'],
  ['a handle whose index was changed', () => SharedWord.from({ ...word.handle, index: 1 }), RangeError, 'received 1'],
  ['the constructor', (): unknown => Reflect.construct(SharedWord, []), Error, 'SharedWord'],
] as const)('%s is refused', (_, call, kind, says) => {
  expect(call).toThrow(kind);
  expect(call).toThrow(says);
});

test.each([
  ['a signal that is none', { signal: bad({}) }, TypeError],
  ['a timeout of -1', { timeout: -1 }, RangeError],
  ['a ref of 1', { ref: bad(1) }, TypeError],
  ['options that are none', bad(3), TypeError],
])('%s rejects', async (_, options, kind) => {
  await expect(api.addressWaitUntilAsync(word, () => false, options)).rejects.toThrow(kind);
  await expect(api.keyWaitAsync(word, api.keyMonitor(word), options)).rejects.toThrow(kind);
  await expect(api.waitOnAddressAsync(word, 7, options)).rejects.toThrow(kind);
});
