// Wrong options and handles of limits with an interval. They throw and leave nothing behind.

import { Arena, CorruptArenaError, HandleError, Region, Semaphore, type RegionHandle } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { createLimit } from '../src/index.ts';
import { NEXT, SIZE, SLOTS } from '../src/kernel/layout.ts';

const arena = Arena.create({ maxPages: 16, policy: { buckets: 8 } });

const INTERVAL = 'Expected `interval` to be a number of ms above 0, at most 366 days: received ';
const CAP = 'Expected `intervalCap` to be a whole number from 1 to 2147483647: received ';

describe('createLimit', () => {
  test.each([
    ['an interval of 0', { interval: 0, intervalCap: 1 }, `${INTERVAL}0`],
    ['a negative interval', { interval: -1, intervalCap: 1 }, `${INTERVAL}-1`],
    ['NaN as interval', { interval: NaN, intervalCap: 1 }, `${INTERVAL}NaN`],
    ['an infinite interval', { interval: Infinity, intervalCap: 1 }, `${INTERVAL}Infinity`],
    ['an interval of more than a year', { interval: 367 * 86_400_000, intervalCap: 1 }, `${INTERVAL}31708800000`],
    ['a string as interval', { interval: '5', intervalCap: 1 }, `${INTERVAL}"5"`],
    ['an interval without a cap', { interval: 5 }, `${CAP}undefined`],
    ['a cap without an interval', { intervalCap: 5 }, `${INTERVAL}undefined`],
    ['a cap of 0', { interval: 5, intervalCap: 0 }, `${CAP}0`],
    ['a fractional cap', { interval: 5, intervalCap: 1.5 }, `${CAP}1.5`],
    ['a negative cap', { interval: 5, intervalCap: -1 }, `${CAP}-1`],
    ['an infinite cap', { interval: 5, intervalCap: Infinity }, `${CAP}Infinity`],
    ['a cap that is too large', { interval: 5, intervalCap: 2 ** 31 }, `${CAP}2147483648`],
    [
      'more starts than strict can remember',
      { interval: 5, intervalCap: 1_000_001, strict: true },
      'from 1 to 1000000: received 1000001',
    ],
    ['strict without an interval', { strict: true }, `${INTERVAL}undefined`],
    [
      'a strict that is not a boolean',
      { interval: 5, intervalCap: 1, strict: 1 },
      'strict must be a boolean: received 1',
    ],
    [
      'a carryover that is not a boolean',
      { interval: 5, intervalCap: 1, carryoverIntervalCount: 'yes' },
      'carryoverIntervalCount must be a boolean: received "yes"',
    ],
    [
      'strict with carryover',
      { interval: 5, intervalCap: 1, strict: true, carryoverIntervalCount: true },
      'leave out carryoverIntervalCount',
    ],
    [
      'a concurrency that is not a number',
      { concurrency: 0, interval: 5, intervalCap: 1 },
      'Expected `concurrency` to be a number from 1 and up',
    ],
    ['no concurrency and no interval', {}, 'Expected `concurrency` to be a number from 1 and up'],
    [
      'an unknown option',
      { interval: 5, intervalCap: 1, intervalcap: 2 },
      'Unknown option "intervalcap": expected one of concurrency, rejectOnClear, arena, name, maxWaiting, shed, interval, intervalCap, carryoverIntervalCount, strict, adaptive, isOverload.',
    ],
  ])('refuses %s', (_, options, says) => {
    const before = arena.inspect().used;
    expect(() => createLimit({ ...options, arena } as never)).toThrow(TypeError);
    expect(() => createLimit({ ...options, arena } as never)).toThrow(says);
    expect(arena.inspect().used).toBe(before);
  });

  const TOO_MANY = 'Expected `intervalCap` to be less than 16000 for each ms of the interval: received ';
  test.each([
    ['the largest cap in 1 ms', { interval: 1, intervalCap: 2 ** 31 - 1 }, `${TOO_MANY}2147483647 in 1 ms`],
    ['16,000 starts in 1 ms', { interval: 1, intervalCap: 16_000 }, `${TOO_MANY}16000 in 1 ms`],
    [
      '16,000 starts in 1 ms, carried over',
      { interval: 1, intervalCap: 16_000, carryoverIntervalCount: true },
      `${TOO_MANY}16000 in 1 ms`,
    ],
    ['16,000 starts in any 1 ms', { interval: 1, intervalCap: 16_000, strict: true }, `${TOO_MANY}16000 in 1 ms`],
    ['an interval too short for a limit to measure', { interval: 1e-4, intervalCap: 1 }, `${TOO_MANY}1 in 0.0001 ms`],
  ])('throws for %s, which a limit could not count', (_, options, says) => {
    const before = arena.inspect().used;
    expect(() => createLimit({ ...options, arena })).toThrow(RangeError);
    expect(() => createLimit({ ...options, arena })).toThrow(says);
    expect(arena.inspect().used).toBe(before);
  });

  test.each([
    { interval: 1, intervalCap: 15_999 },
    { interval: 1, intervalCap: 15_999, strict: true },
    { interval: 1 / 8000, intervalCap: 1 },
    { interval: 366 * 86_400_000, intervalCap: 2 ** 31 - 1 },
  ])('takes %j', (options) => {
    createLimit({ ...options, arena }).free();
  });

  test('throws for an interval over a given semaphore', () => {
    expect(() => createLimit(Semaphore.create(1, { arena }), { interval: 5, intervalCap: 1 } as never)).toThrow(
      'Unknown option "interval"',
    );
  });

  test('leaves nothing behind when the arena is full', () => {
    const small = Arena.create({ initialPages: 2, maxPages: 2, policy: { buckets: 4 } });
    createLimit({ interval: 5, intervalCap: 1, arena: small }).free();
    const before = small.inspect().used;
    expect(() => createLimit({ interval: 50, intervalCap: 100_000, strict: true, arena: small })).toThrow(
      'The arena is full',
    );
    expect(small.inspect().used).toBe(before);
  });
});

test('a call at a damaged interval rejects with CorruptArenaError', async () => {
  for (const [word, options] of [
    [SIZE, { carryoverIntervalCount: true }],
    [SLOTS, { carryoverIntervalCount: true }],
    [NEXT, { strict: true }],
  ] as const) {
    const limit = createLimit({ interval: 5, intervalCap: 1, arena, ...options });
    Region.from(limit.handle.interval?.count as RegionHandle).int32[word >> 2] = 2 ** 27;
    const failure: unknown = await limit(() => 'ran').catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(CorruptArenaError);
  }
});

describe('createLimit.from', () => {
  const limit = createLimit({ concurrency: 2, interval: 5, intervalCap: 1, arena });
  const { handle } = limit;
  const { interval } = handle;
  const gone = createLimit({ concurrency: 2, interval: 5, intervalCap: 1, arena });
  const { handle: freed } = gone;
  gone.free();
  const another = createLimit({ concurrency: 2, interval: 5, intervalCap: 1, arena }).handle;
  const elsewhere = createLimit({ interval: 5, intervalCap: 1, arena: Arena.create({ maxPages: 16 }) }).handle;

  test.each([
    ['a handle whose interval is undefined', { ...handle, interval: undefined }, 'its interval is undefined'],
    ['a handle without a line', { ...handle, interval: { ...interval, line: undefined } }, 'received undefined'],
    [
      'a handle with another count',
      { ...handle, interval: { ...interval, count: Region.create(4, { arena }).handle } },
      'its interval has 4 bytes',
    ],
    [
      'a count that is not that of a limit',
      { ...handle, interval: { ...interval, count: Region.create(56, { arena }).handle } },
      'its interval is not that of a limit',
    ],
    [
      'the interval of another limit',
      { ...handle, interval: another.interval },
      'its interval is that of another limit',
    ],
    ['the size of another limit', { ...handle, size: another.size }, 'its interval is that of another limit'],
    ['a handle without a size', { kind: handle.kind, slots: handle.slots, interval }, 'received undefined'],
    [
      'parts of two arenas',
      { ...handle, interval: { ...interval, count: elsewhere.interval?.count } },
      'its parts lie in different arenas',
    ],
    [
      'an interval of another arena',
      { ...handle, interval: elsewhere.interval },
      'its interval lies in another arena than its slots',
    ],
    ['the handle of a freed limit', freed, 'what it led to was freed'],
  ])('refuses %s', (_, given, says) => {
    expect(() => createLimit.from(given as never)).toThrow(HandleError);
    expect(() => createLimit.from(given as never)).toThrow(says);
  });

  test('throws for a handle in place of options', () => {
    expect(() => createLimit(handle as never)).toThrow('use createLimit.from(handle)');
  });
});
