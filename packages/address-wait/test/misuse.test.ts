// Wrong input throws a typed error that says what was received, and changes nothing.

import { Arena, HandleError, MisuseError, Region, Semaphore } from '@sluice/core';
import { afterEach, describe, expect, test } from 'vitest';
import * as api from '../src/index.ts';
import { cutOff, sharedMemory } from '../../core/test/support/invalid-memories.ts';
import { SharedWord } from '../src/index.ts';
import { expectNoWaiters } from './support/no-waiters.ts';

const arena = Arena.create({ maxPages: 16 });
const word = SharedWord.create(7, { arena });
// The heap ends behind the first page: the test of a truncated memory cuts that page off.
Region.create(65_536, { arena });
const bad = (value: unknown): never => value as never;
const yes = (): boolean => true;
const withRegion = (change: object): typeof word.handle => ({
  ...word.handle,
  region: { ...word.handle.region, ...change },
});

const KEYS: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['0', 0],
  ['a string', 'key'],
  ['a region', Region.create(8, { arena })],
  ['a semaphore', Semaphore.create(1, { arena })],
  ['a handle', word.handle],
  ['an Int32Array', new Int32Array(1)],
  ['a function', () => word],
  ['an object with the fields of a key', { word, ticket: 0 }],
  ['an address', word.handle.region.address],
  ['a bigint', 1n],
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
  ['locationWakeAllPolite', (key) => api.locationWakeAllPolite(key)],
  ['keyOf', (key) => api.keyOf(key, 0)],
];

const ASYNC_CALLS: readonly (readonly [string, (key: never) => Promise<unknown>])[] = [
  ['waitOnAddressAsync', (key) => api.waitOnAddressAsync(key, 0)],
  ['addressWaitUntilAsync', (key) => api.addressWaitUntilAsync(key, yes)],
  ['keyWaitAsync', (key) => api.keyWaitAsync(key, 0)],
];

afterEach(() => {
  expect(word.load()).toBe(7);
  expectNoWaiters(arena);
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
  ['a condition that is not a function', () => api.addressWaitUntil(word, bad(1)), TypeError, 'received 1'],
  ['a sequence of 1.5', () => api.keyWait(word, 1.5), RangeError, 'received 1.5'],
  ['a sequence of -2', () => api.keyWaitLazy(word, -2), RangeError, 'received -2'],
  ['an expected value past 32 bits', () => api.waitOnAddress(word, 2 ** 31), RangeError, 'received 2147483648'],
  [
    'an expected value that is undefined',
    () => api.waitOnAddress(word, bad(undefined)),
    TypeError,
    'received undefined',
  ],
  [
    'a ticket of -1',
    () => api.keyOf(word, -1),
    RangeError,
    'ticket must be a whole number from 0 to 9007199254740991: received -1',
  ],
  ['a ticket of 1.5', () => api.keyOf(word, 1.5), RangeError, 'received 1.5'],
  ['a ticket of NaN', () => api.keyOf(word, Number.NaN), RangeError, 'received NaN'],
  ['a ticket of 2 ** 53', () => api.keyOf(word, 2 ** 53), RangeError, 'received 9007199254740992'],
  ['a ticket of Infinity', () => api.keyOf(word, Infinity), RangeError, 'received Infinity'],
  ['a ticket that is a string', () => api.keyOf(word, bad('1')), TypeError, 'ticket must be a number: received "1"'],
  ['a ticket that is a bigint', () => api.keyOf(word, bad(1n)), TypeError, 'received 1n'],
  ['a key of a key', () => api.keyOf(bad(api.keyOf(word, 1)), 1), TypeError, 'The word must be a SharedWord'],
  ['a key as the word to wait on', () => api.waitOnAddress(bad(api.keyOf(word, 1)), 7, 1), TypeError, 'SharedWord'],
  [
    'a key as the word of an async wait',
    () => api.wakeByAddressSingle(bad(api.keyOf(word, 1))),
    TypeError,
    'The word must be a SharedWord',
  ],
  ['a key as the word to wake', () => api.wakeByAddressAll(bad(api.keyOf(word, 1))), TypeError, 'SharedWord'],
  [
    'a sequence that is a string',
    () => api.keyWait(word, bad('0')),
    TypeError,
    'sequence must be a number: received "0"',
  ],
  ['a sequence of NaN', () => api.keyWait(word, Number.NaN), RangeError, 'received NaN'],
  ['a sequence past 2 ** 53', () => api.keyWaitLazy(word, 2 ** 53), RangeError, 'received 9007199254740992'],
  ['an expected value of 0.5', () => api.waitOnAddress(word, 0.5), RangeError, 'expected must be a whole number'],
  ['an expected value of NaN', () => api.waitOnAddress(word, Number.NaN), RangeError, 'received NaN'],
  ['an expected value that is a bigint', () => api.waitOnAddress(word, bad(7n)), TypeError, 'received 7n'],
  ['an index outside its region', () => SharedWord.at(Region.create(8, { arena }), 2), RangeError, 'received 2'],
  ['a region of three bytes', () => SharedWord.at(Region.create(3, { arena }), 0), RangeError, 'received 0'],
  ['a region that is not a Region', () => SharedWord.at(bad({}), 0), TypeError, 'The region must be a Region'],
  ['a first value of 0.5', () => SharedWord.create(0.5, { arena }), RangeError, 'received 0.5'],
  [
    'a handle that is the string "x"',
    () => SharedWord.from(bad({ kind: 'x' })),
    HandleError,
    'The handle must be that of a SharedWord: received "x"',
  ],
  ['a handle of undefined', () => SharedWord.from(bad(undefined)), HandleError, 'received undefined'],
  ['a handle of null', () => SharedWord.from(bad(null)), HandleError, 'received null'],
  ['a handle that is the string "5"', () => SharedWord.from(bad('word')), HandleError, 'received "word"'],
  ['an empty object as a handle', () => SharedWord.from(bad({})), HandleError, 'received an object of type Object'],
  [
    'the word instead of its handle',
    () => SharedWord.from(bad(word)),
    HandleError,
    'received an instance: pass its `handle`',
  ],
  [
    'the handle of a semaphore',
    () => SharedWord.from(bad(Semaphore.create(1, { arena }).handle)),
    HandleError,
    'received "sluice.semaphore"',
  ],
  ['the handle of its region', () => SharedWord.from(bad(word.handle.region)), HandleError, 'received "sluice.region"'],
  [
    'a handle without a region',
    () => SharedWord.from(bad({ ...word.handle, region: undefined })),
    HandleError,
    'received undefined',
  ],
  [
    'a handle whose address names no block',
    () => SharedWord.from(withRegion({ address: 0 })),
    HandleError,
    'address 0 is not a block',
  ],
  [
    'a handle with an address beyond the heap',
    () => SharedWord.from(withRegion({ address: 2 ** 30 })),
    HandleError,
    'is not a block',
  ],
  [
    'a handle with a misaligned address',
    () => SharedWord.from(withRegion({ address: word.handle.region.address + 4 })),
    HandleError,
    'is not a block',
  ],
  [
    'a handle with the tag of another block',
    () => SharedWord.from(withRegion({ tag: word.handle.region.tag + 1 })),
    HandleError,
    'was freed',
  ],
  [
    'a handle of another arena',
    () => SharedWord.from(withRegion({ arena: 'feed' })),
    HandleError,
    'it names arena "feed"',
  ],
  [
    'a handle whose memory holds no arena',
    () => SharedWord.from(withRegion({ memory: sharedMemory(1) })),
    HandleError,
    'its memory holds no arena',
  ],
  [
    'a handle of a truncated memory',
    () => SharedWord.from(withRegion(cutOff(arena))),
    HandleError,
    'its memory is truncated',
  ],
  [
    'a handle of another layout version',
    () => SharedWord.from(withRegion({ layout: 999 })),
    HandleError,
    'its layout version is 999',
  ],
  [
    'a handle with more bytes than its region',
    () => SharedWord.from(withRegion({ byteLength: 1e6 })),
    RangeError,
    'received 1000000',
  ],
  [
    'a handle without an index',
    () => SharedWord.from(bad({ ...word.handle, index: undefined })),
    TypeError,
    'index must be a number: received undefined',
  ],
  ['a handle whose index is -1', () => SharedWord.from({ ...word.handle, index: -1 }), RangeError, 'received -1'],
  ['an index of 0.5', () => SharedWord.at(Region.create(8, { arena }), 0.5), RangeError, 'received 0.5'],
  ['an index of NaN', () => SharedWord.at(Region.create(8, { arena }), Number.NaN), RangeError, 'received NaN'],
  ['an index that is a string', () => SharedWord.at(Region.create(8, { arena }), bad('0')), TypeError, 'received "0"'],
  [
    'a first value that is a string',
    () => SharedWord.create(bad('1'), { arena }),
    TypeError,
    'value must be a number: received "1"',
  ],
  ['a first value past 32 bits', () => SharedWord.create(2 ** 31, { arena }), RangeError, 'received 2147483648'],
  [
    'options that are null',
    () => SharedWord.create(0, bad(null)),
    TypeError,
    'The options must be an object: received null',
  ],
  [
    'an unknown option',
    () => SharedWord.create(0, bad({ arena, nmae: 'x' })),
    TypeError,
    'Unknown option "nmae": expected one of arena, name.',
  ],
  [
    'an arena that is not an Arena',
    () => SharedWord.create(0, { arena: bad(word.arena.handle) }),
    TypeError,
    'The arena must be an Arena',
  ],
  [
    'a name that is a number',
    () => SharedWord.create(0, { arena, name: bad(5) }),
    TypeError,
    'The name must be a string: received 5',
  ],
  ['a handle whose index was changed', () => SharedWord.from({ ...word.handle, index: 1 }), RangeError, 'received 1'],
  ['the constructor', (): unknown => Reflect.construct(SharedWord, []), Error, 'SharedWord'],
] as const)('%s throws', (_, call, kind, says) => {
  expect(call).toThrow(kind);
  expect(call).toThrow(says);
});

const TIMEOUTS: readonly (readonly [string, unknown, new (message: string) => Error, string])[] = [
  ['-1', -1, RangeError, 'The timeout must be 0 ms or more: received -1'],
  ['-Infinity', -Infinity, RangeError, 'received -Infinity'],
  ['NaN', Number.NaN, RangeError, 'received NaN'],
  ['"5"', '5', TypeError, 'The timeout must be a number: received "5"'],
  ['5n', 5n, TypeError, 'received 5n'],
  ['null', null, TypeError, 'received null'],
  ['{}', {}, TypeError, 'received an object of type Object'],
];

describe.each(TIMEOUTS)('a timeout of %s', (_, timeout, kind, says) => {
  test.each<readonly [string, (timeout: never) => unknown]>([
    ['addressWaitUntil', (wrong) => api.addressWaitUntil(word, yes, wrong)],
    ['keyWait', (wrong) => api.keyWait(word, api.keyMonitor(word), wrong)],
    ['keyWaitLazy', (wrong) => api.keyWaitLazy(word, api.keyMonitor(word), wrong)],
    ['locationWait', (wrong) => api.locationWait(word, wrong)],
    ['waitOnAddress', (wrong) => api.waitOnAddress(word, 7, wrong)],
    ['waitOnAddress with another value', (wrong) => api.waitOnAddress(word, 8, wrong)],
  ])('%s throws', (_name, call) => {
    expect(() => call(bad(timeout))).toThrow(kind);
    expect(() => call(bad(timeout))).toThrow(says);
  });
});

test('locationWait() throws for a wrong timeout, and a wait that has begun continues', () => {
  expect(api.locationWait(word)).toBe(true);
  expect(() => api.locationWait(word, bad('5'))).toThrow('received "5"');
  expect([api.locationWait(word, 1), api.locationWait(word, 0)]).toEqual([false, false]);
});

const OPTIONS: readonly (readonly [string, unknown, string, string])[] = [
  ...TIMEOUTS.map(
    ([written, timeout, kind, says]) => [`{ timeout: ${written} }`, { timeout }, kind.name, says] as const,
  ),
  ['7', 7, 'TypeError', 'The options must be an object such as { timeout: 7 }: received 7'],
  ['null', null, 'TypeError', 'received null'],
  [
    '{ signal: {} }',
    { signal: {} },
    'TypeError',
    'The signal must be an AbortSignal: received an object of type Object',
  ],
  ['{ signal: null }', { signal: null }, 'TypeError', 'received null'],
  [
    '{ signal: new AbortController() }',
    { signal: new AbortController() },
    'TypeError',
    'The signal must be an AbortSignal',
  ],
  ['{ ref: 1 }', { ref: 1 }, 'TypeError', 'ref must be a boolean: received 1'],
  ['{ signal: an aborted signal }', { signal: AbortSignal.abort(new Error('mine')) }, 'Error', 'mine'],
];

test.each(OPTIONS)('async waits with the options %s reject', async (_, options, name, says) => {
  const waits = [
    api.addressWaitUntilAsync(word, () => false, bad(options)),
    api.keyWaitAsync(word, api.keyMonitor(word), bad(options)),
    api.waitOnAddressAsync(word, 7, bad(options)),
  ];
  for (const wait of waits)
    await expect(wait).rejects.toMatchObject({ name, message: expect.stringContaining(says) as string });
});

describe('a freed word', () => {
  const freed = SharedWord.create(7, { arena });
  const key = api.keyOf(freed, 3);
  freed.free();
  test.each(CALLS)('%s throws MisuseError', (name, call) => {
    for (const each of name === 'keyOf' || /ByAddress|OnAddress/.test(name) ? [freed] : [freed, key]) {
      if (name === 'keyOf') continue;
      expect(() => call(bad(each))).toThrow(MisuseError);
      expect(() => call(bad(each))).toThrow('The word was freed');
    }
  });
  test.each(ASYNC_CALLS)('%s rejects with MisuseError', async (_, call) => {
    await expect(call(bad(freed))).rejects.toThrow(MisuseError);
  });
});
