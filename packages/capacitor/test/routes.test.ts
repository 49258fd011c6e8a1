// The route of a holding, and that its unlock uses the same route: through the capacitor or around it.

import { Arena } from '@sluice/core';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { secondAgent } from '../../core/test/support/second-agent.ts';
import { turn } from '../../core/test/support/turn.ts';
import { CapacitorLock } from '../src/index.ts';
import { ALL_INNER, MUTEX, RECURSIVE } from './support/inner-kinds.ts';
import { gateOf, insideOf } from './support/routes.ts';
import { fixRandom, wrap, type Wrapped } from './support/wrapped.ts';

const arena = Arena.create({ maxPages: 32, policy: { buckets: 8 } });
const other = secondAgent(arena);
const [AROUND, THROUGH] = [0.4999, 0.5];
const HALF = { fraction: 0.5, bypassLimit: 4 } as const;

afterEach(() => void vi.restoreAllMocks());

function expectAtRest({ ours, theirs }: Wrapped): void {
  expect([insideOf(ours), gateOf(ours).empty, ours.owned, theirs.owned]).toEqual([0, true, false, false]);
  expect(gateOf(ours).inspect().departuresLeft).toBe(gateOf(ours).inspect().open);
}

const WAYS: readonly (readonly [way: string, take: (lock: CapacitorLock) => unknown])[] = [
  ['lock()', (lock) => lock.lock()],
  ['tryLock()', (lock) => lock.tryLock()],
  ['tryLock(1000)', (lock) => lock.tryLock(1000)],
  ['lockAsync()', (lock) => lock.lockAsync()],
  ['lockAsync({ timeout: 1000 })', (lock) => lock.lockAsync({ timeout: 1000 })],
  ['hold()', (lock) => lock.hold()],
  ['holdAsync()', (lock) => lock.holdAsync()],
];

describe.each(ALL_INNER)('$name', (kind) => {
  test.each(WAYS)(
    '%s bypasses the capacitor if the random number is below the fraction, and its unlock uses the same route',
    async (_, take) => {
      const wrapped = wrap(arena, other, kind, HALF);
      const { ours } = wrapped;
      for (const number of [AROUND, THROUGH, THROUGH, AROUND, 0, 0.999]) {
        fixRandom(number);
        await take(ours);
        expect([insideOf(ours), ours.owned]).toEqual([number < HALF.fraction ? 0 : 1, true]);
        ours.unlock();
        expect([insideOf(ours), ours.owned]).toEqual([0, false]);
      }
      wrapped.ours.free();
    },
  );

  test('run() and runAsync() use the same routes', async () => {
    const wrapped = wrap(arena, other, kind, HALF);
    const { ours } = wrapped;
    for (const number of [AROUND, THROUGH, THROUGH, AROUND]) {
      const inside = number < HALF.fraction ? 0 : 1;
      fixRandom(number, number);
      expect(ours.run(() => insideOf(ours))).toBe(inside);
      expect(await ours.runAsync(() => turn().then(() => insideOf(ours)))).toBe(inside);
      expect(insideOf(ours)).toBe(0);
    }
    wrapped.ours.free();
  });
});

test('with a fraction of 0 or 1 the route is certain', () => {
  for (const [fraction, inside] of [
    [0, 1],
    [1, 0],
  ] as const) {
    const { ours } = wrap(arena, other, MUTEX, { fraction, bypassLimit: 10 });
    for (const number of [0, 0.5, 1 - 2 ** -53]) {
      vi.spyOn(Math, 'random').mockReturnValue(number);
      ours.lock();
      expect(insideOf(ours)).toBe(inside);
      ours.unlock();
    }
  }
});

test('the share of bypassing calls is about the fraction', () => {
  const { ours } = wrap(arena, other, MUTEX, { fraction: 0.25, bypassLimit: 10 });
  let around = 0;
  for (let round = 0; round < 10_000; round++) around += ours.run(() => 1 - insideOf(ours));
  // Eight times the standard deviation.
  expect(Math.abs(around - 2500)).toBeLessThan(350);
});

test("all of an agent's instances of a lock unlock by the route of its holding", async () => {
  const wrapped = wrap(arena, other, MUTEX, HALF);
  const { ours, inner } = wrapped;
  const twin = CapacitorLock.from(ours.handle, inner);
  for (const number of [AROUND, THROUGH, AROUND]) {
    for (const [takes, gives] of [
      [ours, twin],
      [twin, ours],
    ] as const) {
      fixRandom(number, number);
      takes.lock();
      expect([gives.owned, insideOf(gives)]).toEqual([true, number < HALF.fraction ? 0 : 1]);
      gives.unlock();
      await gives.lockAsync();
      takes.unlock();
      expect([takes.owned, insideOf(ours)]).toEqual([false, 0]);
    }
  }
  expectAtRest(wrapped);
});

test('two locks over one inner lock do not affect each other', () => {
  const { ours, inner } = wrap(arena, other, RECURSIVE, { bypassLimit: 1 });
  const second = CapacitorLock.create(inner, { bypassLimit: 1 });
  ours.lock();
  expect([second.owned, insideOf(second)]).toEqual([false, 0]);
  expect(() => second.unlock()).toThrow('does not hold it');
  second.lock();
  ours.unlock();
  expect([insideOf(ours), insideOf(second), second.owned]).toEqual([0, 1, true]);
  second.unlock();
});

test('interleaved async tasks with different routes depart as often as they arrived', async () => {
  const wrapped = wrap(arena, other, MUTEX, HALF);
  const { ours, theirs } = wrapped;
  const ways: boolean[] = [];
  const task = async (lock: CapacitorLock): Promise<void> => {
    await lock.lockAsync();
    ways.push(insideOf(ours) > 0);
    await turn();
    lock.unlock();
  };
  await Promise.all(Array.from({ length: 60 }, (_, index) => task(index % 3 === 0 ? theirs : ours)));
  expect(ways).toHaveLength(60);
  expectAtRest(wrapped);
});

describe('a lock that its owner may lock again', () => {
  const NESTED: readonly (readonly [way: string, nest: (lock: CapacitorLock) => unknown])[] = WAYS;

  test.each(NESTED)(
    '%s by the owner bypasses the capacitor, whatever the route of the outermost holding',
    async (_, nest) => {
      for (const number of [AROUND, THROUGH]) {
        const wrapped = wrap(arena, other, RECURSIVE, { ...HALF, bypassLimit: 1 });
        const { ours, theirs } = wrapped;
        fixRandom(number);
        ours.lock();
        const inside = insideOf(ours);
        for (let depth = 1; depth < 5; depth++) {
          await nest(ours);
          expect([insideOf(ours), theirs.tryLock()]).toEqual([inside, false]);
        }
        for (let depth = 5; depth > 1; depth--) {
          ours.unlock();
          expect([insideOf(ours), ours.owned, theirs.tryLock()]).toEqual([inside, true, false]);
        }
        ours.unlock();
        expectAtRest(wrapped);
        expect(() => ours.unlock()).toThrow('does not hold it');
        expect(theirs.tryLock()).toBe(true);
        theirs.unlock();
      }
    },
  );

  test('nested run() and runAsync() depart once, at the end of the outermost', async () => {
    const wrapped = wrap(arena, other, RECURSIVE, { bypassLimit: 1 });
    const { ours } = wrapped;
    const depth = (): number => ours.run(() => insideOf(ours));
    expect(ours.run(() => [depth(), depth(), insideOf(ours)])).toEqual([1, 1, 1]);
    const seen = await ours.runAsync(async () => {
      const inner = await ours.runAsync(() => turn().then(depth));
      return [inner, depth(), insideOf(ours)];
    });
    expect(seen).toEqual([1, 1, 1]);
    expectAtRest(wrapped);
  });

  test.each([0, 1])(
    'either of two overlapping tasks may end first (%i), and the lock is held until both have ended',
    async (first) => {
      const wrapped = wrap(arena, other, RECURSIVE, { bypassLimit: 1 });
      const { ours, theirs } = wrapped;
      const ends: (() => void)[] = [];
      const start = (): Promise<void> => ours.runAsync(() => new Promise((resolve) => void ends.push(resolve)));
      const tasks = [start()];
      await turn();
      tasks.push(start());
      await turn();
      expect(ends).toHaveLength(2);
      ends[first]?.();
      await tasks[first];
      expect([theirs.tryLock(), ours.owned]).toEqual([false, true]);
      ends[1 - first]?.();
      await Promise.all(tasks);
      expectAtRest(wrapped);
    },
  );
});
