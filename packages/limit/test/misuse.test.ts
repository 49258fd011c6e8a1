// Wrong arguments and wrong calls. They throw and change nothing.

import { inspect } from 'node:util';
import { Arena, hasCode, HandleError, MisuseError, Region, Semaphore } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { createLimit, limitFunction, type Limit, type LimitHandle } from '../src/index.ts';
import { Stage, turns } from './support/gate.ts';

const arena = Arena.create({ maxPages: 16, policy: { buckets: 8 } });

describe('createLimit', () => {
  test.each([
    ['null', null, 'The options must be an object: received null'],
    ['a string', 'x', 'Expected `concurrency` to be a number from 1 and up'],
    ['a function', () => 4, 'Expected `concurrency` to be a number from 1 and up'],
    ['the handle of a limit', createLimit(1).handle, 'use createLimit.from(handle)'],
    ['the handle of a semaphore', Semaphore.create(1).handle, 'use createLimit(Semaphore.from(handle))'],
    ['a name that is not a string', { concurrency: 1, name: 5 }, 'The name must be a string: received 5'],
    ['an arena that is not an Arena', { concurrency: 1, arena: {} }, 'The arena must be an Arena'],
  ])('refuses %s', (_, given, says) => {
    const before = Arena.default().inspect().used;
    expect(() => createLimit(given as never)).toThrow(TypeError);
    expect(() => createLimit(given as never)).toThrow(says);
    expect(Arena.default().inspect().used).toBe(before);
  });

  test.each([null, 7, 'x'])('throws for options that are not an object: %s', (options) => {
    for (const given of [2, Semaphore.create(1, { arena })]) {
      expect(() => createLimit(given as number, options as never)).toThrow('The options must be an object');
    }
    expect(() => createLimit.from(createLimit(1, { arena }).handle, options as never)).toThrow(
      'The options must be an object',
    );
  });

  test('throws for a name of more than 60 bytes', () => {
    expect(() => createLimit(2, { arena, name: 'x'.repeat(61) })).toThrow(RangeError);
  });

  test('throws for a freed semaphore, and every call over a closed one rejects', async () => {
    const semaphore = Semaphore.create(1, { arena });
    semaphore.close();
    const failure = await createLimit(semaphore)(() => 1).catch((reason: unknown) => reason);
    expect(hasCode(failure, 'SLUICE_CLOSED')).toBe(true);
    semaphore.free();
    expect(() => createLimit(semaphore)).toThrow(MisuseError);
  });

  test('leaves nothing behind in a full arena', () => {
    const small = Arena.create({ initialPages: 2, maxPages: 2, policy: { buckets: 4 } });
    const take = (bytes: number): void => {
      try {
        for (;;) Region.create(bytes, { arena: small });
      } catch (full) {
        expect(hasCode(full, 'SLUICE_ARENA_FULL')).toBe(true);
      }
    };
    // Room for the semaphore of the limit, and for nothing else.
    const room = Semaphore.create(1, { arena: small });
    take(1024);
    take(1);
    room.free();
    const free = (): number => small.inspect().blocks.filter(({ kind }) => kind === 'free').length;
    const before = free();
    expect(before).toBeGreaterThan(0);
    expect(() => createLimit(1, { arena: small })).toThrow('The arena is full');
    expect(free()).toBe(before);
  });
});

describe('createLimit.from', () => {
  const limit = createLimit(2, { arena });
  const gone = createLimit(2, { arena });
  const { handle: freed } = gone;
  gone.free();

  test.each([
    ['nothing', undefined, 'received undefined'],
    ['null', null, 'received null'],
    ['a number', 4, 'received 4'],
    ['the limit itself', limit, 'of a limit pass its `handle`'],
    ['an empty object', {}, 'received kind undefined'],
    ['the handle of a semaphore', Semaphore.create(1, { arena }).handle, 'received kind "sluice.semaphore"'],
    ['a handle without slots', { kind: 'sluice.limit' }, 'received undefined'],
    ['a handle with other slots', { ...limit.handle, slots: Region.create(4).handle }, 'received kind "sluice.region"'],
    ['a handle with one of its two parts', { ...limit.handle, size: undefined }, 'received undefined'],
    [
      'a handle of another arena',
      { ...limit.handle, slots: { ...limit.handle.slots, arena: 'a' } },
      'it names arena "a"',
    ],
    ['the handle of a freed limit', freed, 'what it led to was freed'],
  ])('refuses %s', (_, handle, says) => {
    expect(() => createLimit.from(handle as LimitHandle)).toThrow(HandleError);
    expect(() => createLimit.from(handle as LimitHandle)).toThrow(says);
  });

  test('throws for unknown options', () => {
    const mistyped = { concurency: 3 } as never;
    expect(() => createLimit(2, mistyped)).toThrow(
      'Unknown option "concurency": expected one of concurrency, rejectOnClear, arena, name, maxWaiting, shed, interval, intervalCap, carryoverIntervalCount, strict, adaptive, isOverload.',
    );
    expect(() => createLimit({ concurrency: 2, rejectOnclear: true } as never)).toThrow(
      'Unknown option "rejectOnclear"',
    );
  });

  test('throws for a rejectOnClear that is not a boolean, as createLimit() does', () => {
    expect(() => createLimit.from(limit.handle, { rejectOnClear: 1 as never })).toThrow(
      'Expected `rejectOnClear` to be a boolean',
    );
    expect(() => createLimit(Semaphore.create(1, { arena }), { rejectOnClear: 1 as never })).toThrow(TypeError);
  });

  test("a limit's handle can be posted, the limit itself cannot", () => {
    expect(() => structuredClone(limit)).toThrow('could not be cloned');
    const clone = structuredClone(limit.handle);
    expect(createLimit.from(clone).concurrency).toBe(2);
  });
});

describe('a call', () => {
  const limit = createLimit(1, { arena });

  test.each([
    [
      'a function that is a number',
      () => limit.run(7 as never),
      TypeError,
      'The callback must be a function: received 7',
    ],
    [
      'a signal that is not an AbortSignal',
      () => limit.run(() => 1, { signal: 7 as never }),
      TypeError,
      'The signal must be an AbortSignal',
    ],
    [
      'a timeout that is not a number',
      () => limit.run(() => 1, { timeout: '5' as never }),
      TypeError,
      'The timeout must be a number',
    ],
    ['a negative timeout', () => limit.run(() => 1, { timeout: -1 }), RangeError, 'The timeout must be 0 ms or more'],
    [
      'args that are not an array',
      () => limit.run(() => 1, { args: 5 as never }),
      TypeError,
      'args must be an array: received 5',
    ],
    [
      'a priority that is not a number',
      () => limit.run(() => 1, { priority: 'high' as never }),
      TypeError,
      'priority must be a number: received "high"',
    ],
    [
      'NaN as priority',
      () => limit.run(() => 1, { priority: NaN }),
      TypeError,
      'priority must be a number: received NaN',
    ],
    [
      'options that are not an object',
      () => limit.run(() => 1, 5 as never),
      TypeError,
      'The options must be an object such as { timeout: 5 }: received 5',
    ],
    [
      'null options',
      () => limit.run(() => 1, null as never),
      TypeError,
      'The options must be an object: received null',
    ],
  ])('a call with %s rejects and takes no slot', async (_, call, Failure, says) => {
    await expect(call()).rejects.toThrow(Failure);
    await expect(call()).rejects.toThrow(says);
    expect([limit.activeCount, limit.pendingCount, limit.inspect().activeCount]).toEqual([0, 0, 0]);
  });

  test('a console shows a limited function in one line', () => {
    const slots = createLimit({ concurrency: 1, arena, name: 'api' });
    expect(inspect(limitFunction(function load() {}, slots))).toBe(
      `LimitedFunction { of: "Limit 'api'", function: 'load' }`,
    );
    expect(inspect(limitFunction(() => 1, slots))).toBe(`LimitedFunction { of: "Limit 'api'" }`);
    slots.free();
  });

  test('limitFunction() throws for a value that is not a function', () => {
    expect(() => limitFunction(5 as never, { concurrency: 1 })).toThrow('The callback must be a function');
  });

  test('limitFunction() throws for a second function that is not a limit', () => {
    const other = Object.assign(() => Promise.resolve(1), { clearQueue: () => undefined });
    expect(() => limitFunction(() => 1, other as never)).toThrow(TypeError);
    expect(() => limitFunction(() => 1, other as never)).toThrow(
      'Expected a limit, or what createLimit takes: received a function',
    );
  });
});

describe('free', () => {
  test('throws while functions run or calls wait, and for a limit over a given semaphore', async () => {
    const limit = createLimit(1, { arena });
    const stage = new Stage();
    const calls = [limit(stage.play, 'a'), limit(stage.play, 'b')];
    expect(() => limit.free()).toThrow('is in use and cannot be freed');
    await turns();
    await stage.endAll();
    await Promise.all(calls);
    limit.free();
    expect(() => createLimit(Semaphore.create(1, { arena })).free()).toThrow(MisuseError);
  });

  test('makes every later use throw', async () => {
    const limit = createLimit(1, { arena });
    limit.free();
    const uses: readonly ((limit: Limit) => unknown)[] = [
      (freed) => freed(() => 1),
      (freed) => freed.run(() => 1),
      (freed) => freed.map([1], () => 1),
      (freed) => freed.concurrency,
      (freed) => (freed.concurrency = 3),
      (freed) => freed.inspect(),
      (freed) => freed.close(),
      (freed) => freed.free(),
    ];
    const next = createLimit(2, { arena });
    for (const use of uses) await expect(Promise.resolve(limit).then(use)).rejects.toThrow(MisuseError);
    expect([next.concurrency, next.inspect().activeCount]).toEqual([2, 0]);
  });
});

test('map() rejects for items that are not iterable, and the error for posting a limit names its handle', async () => {
  const limit = createLimit(1);
  for (const items of [undefined, null, 5] as never[])
    await expect(limit.map(items, () => 1)).rejects.toThrow(
      `limit.map takes items and a function. The items must be iterable: received ${String(items)}`,
    );
  expect(() => structuredClone(limit)).toThrow('A limit cannot be posted to another thread: post limit.handle.');
  expect(await limit.map('ab', (letter) => letter)).toEqual(['a', 'b']);
  limit.free();
});
