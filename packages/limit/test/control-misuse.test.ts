// Wrong options and wrong calls of limits that find their size or shed calls. They throw and change nothing.

import { Arena, HandleError, hasCode, MisuseError, Region, Semaphore } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { MAX } from '../src/kernel/control-layout.ts';
import { createLimit } from '../src/index.ts';
import { Gate, turns } from './support/gate.ts';

const arena = Arena.create({ maxPages: 32 });
const adaptive = { min: 2, max: 8 };

describe('createLimit', () => {
  test.each([
    ['adaptive as a flag', { adaptive: true }, TypeError, 'The options must be an object: received true'],
    ['adaptive as null', { adaptive: null }, TypeError, 'The options must be an object: received null'],
    [
      'an unknown option',
      { adaptive: { maximum: 4 } },
      TypeError,
      'Unknown option "maximum": expected one of min, max',
    ],
    ['no max', { adaptive: {} }, TypeError, 'adaptive.max must be a number: received undefined'],
    ['an infinite max', { adaptive: { max: Infinity } }, RangeError, 'adaptive.max must be a whole number from 1 to'],
    ['a min of 0', { adaptive: { min: 0, max: 4 } }, RangeError, 'adaptive.min must be a whole number from 1'],
    ['a max below min', { adaptive: { min: 5, max: 4 } }, RangeError, 'adaptive.max must be a whole number from 5'],
    ['a fraction', { adaptive: { max: 4.5 } }, RangeError, 'adaptive.max must be a whole number from 1'],
    ['an initial size below min', { adaptive: { ...adaptive, initial: 1 } }, RangeError, 'from 2 to 8: received 1'],
    ['an initial size above max', { adaptive: { ...adaptive, initial: 9 } }, RangeError, 'from 2 to 8: received 9'],
    [
      'another target',
      { adaptive: { ...adaptive, target: 'errors' } },
      TypeError,
      'adaptive.target must be \'latency\': received "errors"',
    ],
    ['a tolerance of 1', { adaptive: { ...adaptive, tolerance: 1 } }, TypeError, 'a number above 1, at most 10'],
    ['a tolerance that is not a number', { adaptive: { ...adaptive, tolerance: '2' } }, TypeError, 'received "2"'],
    ['a tolerance of NaN', { adaptive: { ...adaptive, tolerance: NaN } }, TypeError, 'received NaN'],
    ['a concurrency beside adaptive', { concurrency: 4, adaptive }, TypeError, 'leave out concurrency'],
    ['isOverload that is no function', { adaptive, isOverload: 503 }, TypeError, 'isOverload must be a function'],
    ['isOverload without adaptive', { concurrency: 4, isOverload: () => true }, TypeError, 'not adaptive'],
    ['neither concurrency nor adaptive', { maxWaiting: 4 }, TypeError, 'Expected `concurrency` to be a number'],
    [
      'a negative maxWaiting',
      { concurrency: 1, maxWaiting: -1 },
      RangeError,
      'maxWaiting must be a whole number from 0',
    ],
    ['maxWaiting that is no number', { concurrency: 1, maxWaiting: '9' }, TypeError, 'maxWaiting must be a number'],
    ['maxWaiting of NaN', { concurrency: 1, maxWaiting: NaN }, RangeError, 'received NaN'],
    ['shed without maxWaiting', { concurrency: 1, shed: 'oldest' }, TypeError, 'add maxWaiting'],
    [
      'another value of shed',
      { concurrency: 1, maxWaiting: 1, shed: 'random' },
      TypeError,
      "shed must be 'newest' or 'oldest': received \"random\"",
    ],
    [
      'a wrong interval beside maxWaiting',
      { concurrency: 1, maxWaiting: 1, interval: 5 },
      TypeError,
      'Expected `intervalCap` to be a whole number',
    ],
  ])('refuses %s', (_, options, error, says) => {
    const before = arena.inspect().used;
    expect(() => createLimit({ arena, ...options } as never)).toThrow(error);
    expect(() => createLimit({ arena, ...options } as never)).toThrow(says);
    expect(arena.inspect().used).toBe(before);
  });

  test('refuses both over a given semaphore', () => {
    const semaphore = Semaphore.create(1, { arena });
    for (const options of [{ adaptive }, { maxWaiting: 1 }, { isOverload: () => true }])
      expect(() => createLimit(semaphore, options as never)).toThrow('Unknown option');
  });

  test('takes the options beside a number, and maxWaiting: Infinity as none', () => {
    const limit = createLimit(2, { maxWaiting: 3, arena });
    expect(limit.inspect()).toMatchObject({ concurrency: 2, shedding: { maxWaiting: 3, shed: 'newest' } });
    limit.free();
    const plain = createLimit(2, { maxWaiting: Infinity, arena });
    expect(plain.inspect().shedding).toBeUndefined();
    plain.free();
    expect(() => createLimit(2, { adaptive, arena } as never)).toThrow('leave out concurrency');
  });

  test('leaves nothing behind in a full arena', () => {
    const small = Arena.create({ initialPages: 2, maxPages: 2, policy: { buckets: 4 } });
    const blocks: Region[] = [];
    try {
      for (;;) blocks.push(Region.create(128, { arena: small }));
    } catch (full) {
      expect(hasCode(full, 'SLUICE_ARENA_FULL')).toBe(true);
    }
    // One more block is free at each attempt, until the limit has room for all its parts.
    let attempts = 0;
    for (; ; attempts++) {
      const before = small.inspect().used;
      try {
        createLimit({ adaptive, maxWaiting: 1, arena: small }).free();
        break;
      } catch (full) {
        expect(hasCode(full, 'SLUICE_ARENA_FULL')).toBe(true);
        expect(small.inspect().used).toBe(before);
      }
      blocks.pop()?.free();
    }
    expect(attempts).toBeGreaterThan(3);
  });
});

describe('an adaptive limit', () => {
  const limit = createLimit({ adaptive, arena, name: 'api' });

  test('throws if its concurrency is set, for any agent', () => {
    for (const one of [limit, createLimit.from(limit.handle)]) {
      expect(() => (one.concurrency = 4)).toThrow(MisuseError);
      expect(() => (one.concurrency = 4)).toThrow(
        "The concurrency of Limit 'api' cannot be set: the limit is adaptive, and finds it itself.",
      );
      expect(() => (one.concurrency = 0)).toThrow('Expected `concurrency` to be a number from 1 and up');
    }
    expect(limit.concurrency).toBe(2);
  });

  test('rejects a value that is not a function', async () => {
    await expect(limit(5 as never)).rejects.toThrow(TypeError);
    expect(limit.inspect().adaptive?.samples).toBe(0);
  });
});

test('a limit that sheds calls may be resized', () => {
  const limit = createLimit({ concurrency: 1, maxWaiting: 1, arena });
  limit.concurrency = 3;
  expect(limit.concurrency).toBe(3);
  limit.free();
});

test('free throws while calls run or wait, and frees all parts', async () => {
  const used: number[] = [];
  for (let round = 0; round < 4; round++) {
    const limit = createLimit({ adaptive: { max: 1 }, maxWaiting: 1, arena });
    const gate = new Gate();
    const ends = [limit(() => gate.passed), limit(() => gate.passed)];
    await turns();
    expect(() => limit.free()).toThrow(MisuseError);
    expect(limit.inspect()).toMatchObject({ activeCount: 1, pendingCount: 1 });
    gate.open();
    await Promise.all(ends);
    limit.free();
    expect(() => limit.free()).toThrow(MisuseError);
    await expect(limit(() => 1)).rejects.toThrow(MisuseError);
    used.push(arena.inspect().used);
  }
  // The first round also allocated what this agent keeps for its waits.
  expect(new Set(used).size).toBe(1);
});

describe('createLimit.from', () => {
  const limit = createLimit({ adaptive, maxWaiting: 1, arena });
  const { handle } = limit;
  const { control } = handle;
  const gone = createLimit({ adaptive, arena });
  const { handle: freed } = gone;
  gone.free();
  const another = createLimit({ adaptive, maxWaiting: 1, arena }).handle;
  const elsewhere = createLimit({ adaptive, maxWaiting: 1, arena: Arena.create({ maxPages: 16 }) }).handle;

  test.each([
    ['a control that is undefined', { ...handle, control: undefined }, 'its control is undefined'],
    ['a control without words', { ...handle, control: { ...control, words: undefined } }, 'received undefined'],
    ['a control without its lock', { ...handle, control: { ...control, lock: undefined } }, 'received undefined'],
    ['a control without its places', { ...handle, control: { ...control, places: undefined } }, 'received undefined'],
    [
      'a control of another size',
      { ...handle, control: { ...control, words: Region.create(4, { arena }).handle } },
      'its control has 4 bytes',
    ],
    [
      'a control whose bounds are damaged',
      (() => {
        const damaged = createLimit({ adaptive, arena });
        Region.from(damaged.handle.control?.words as never).int32[MAX >> 2] = 1;
        return damaged.handle;
      })(),
      'its control is not that of a limit',
    ],
    ['the control of another limit', { ...handle, control: another.control }, 'its control is that of another limit'],
    ['a control of another arena', { ...handle, control: elsewhere.control }, 'lies in another arena than its slots'],
    [
      'parts of two arenas',
      { ...handle, control: { ...control, lock: elsewhere.control?.lock } },
      'its parts lie in different arenas',
    ],
    ['a handle without a size', { kind: handle.kind, slots: handle.slots, control }, 'received undefined'],
    ['the handle of a freed limit', freed, 'what it led to was freed'],
  ])('refuses %s', (_, given, says) => {
    expect(() => createLimit.from(given as never)).toThrow(HandleError);
    expect(() => createLimit.from(given as never)).toThrow(says);
  });

  test('refuses wrong options', () => {
    expect(() => createLimit.from(handle, { isOverload: 5 as never })).toThrow('isOverload must be a function');
    expect(() => createLimit.from(handle, { maxWaiting: 5 } as never)).toThrow('Unknown option "maxWaiting"');
    const plain = createLimit({ concurrency: 1, maxWaiting: 1, arena });
    expect(() => createLimit.from(plain.handle, { isOverload: () => true })).toThrow('not adaptive');
    expect(() => createLimit.from(createLimit(1, { arena }).handle, { isOverload: () => true })).toThrow(
      'Unknown option "isOverload"',
    );
  });
});
