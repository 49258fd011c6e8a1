import { expect, test } from 'vitest';
import { rejection } from '../observe.ts';
import type { CreateSemaphore } from '../types.ts';
import { takeAll, type Traits } from './traits.ts';

/** Tests acquire and release without contention. */
export function permits(create: CreateSemaphore, traits: Traits): void {
  const { barging, triesSeveral, size } = traits;

  test('a new semaphore has its initial permits free and no waiters', () => {
    const sem = create(3);
    expect([sem.available, sem.waiting]).toEqual([3, 0]);
    expect(create(0).available).toBe(0);
  });

  test('acquire() takes one permit or the given number, and release() returns them', () => {
    const sem = create(3);
    sem.acquire();
    expect(sem.available).toBe(2);
    takeAll(sem, 2, traits);
    expect(sem.available).toBe(0);
    sem.release();
    sem.release(2);
    expect(sem.available).toBe(3);
  });

  test('any agent may release: a release() without an acquire() adds a permit', () => {
    const sem = create(0);
    sem.release(2);
    expect(sem.available).toBe(2);
    takeAll(sem, 2, traits);
    expect(sem.available).toBe(0);
  });

  test('tryAcquire() takes all requested permits or none', () => {
    const [most, more] = triesSeveral ? [3, 4] : [1, 1];
    const sem = create(triesSeveral ? 3 : 0);
    expect([sem.tryAcquire(more), sem.available]).toEqual([false, triesSeveral ? 3 : 0]);
    if (!triesSeveral) sem.release();
    expect([sem.tryAcquire(most), sem.tryAcquire(), sem.available]).toEqual([true, false, 0]);
  });

  test('tryAcquire() with a timeout returns false when the timeout has passed, not before, and changes nothing', () => {
    const free = size(2) - 1;
    const sem = create(free);
    const began = performance.now();
    expect(sem.tryAcquire(size(2), 20)).toBe(false);
    expect(performance.now() - began).toBeGreaterThanOrEqual(19);
    expect([sem.available, sem.waiting]).toEqual([free, 0]);
  });

  test('tryAcquire() with a timeout takes free permits without waiting', () => {
    const sem = create(size(2));
    expect(sem.tryAcquire(size(2), Infinity)).toBe(true);
    expect(sem.available).toBe(0);
  });

  test('drain() takes every free permit and returns the number, 0 if none is free', () => {
    const sem = create(3);
    sem.acquire();
    expect([sem.drain(), sem.drain(), sem.available]).toEqual([2, 0, 0]);
    sem.release(3);
    expect(sem.available).toBe(3);
  });

  test('acquireAsync() takes free permits before it returns', async () => {
    const sem = create(1 + size(2));
    const taken = sem.acquireAsync(size(2));
    expect([sem.available, sem.waiting]).toEqual([1, 0]);
    await taken;
    expect(sem.available).toBe(1);
  });

  test('acquireAsync() without free permits waits until a release', async () => {
    const sem = create(0);
    const taken = sem.acquireAsync();
    expect([sem.available, sem.waiting]).toEqual([0, 1]);
    sem.release();
    // At a barging semaphore the permit is free until the waiter takes it.
    expect(sem.available).toBe(barging ? 1 : 0);
    expect(sem.waiting).toBeLessThanOrEqual(barging ? 1 : 0);
    await taken;
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
  });

  test('two releases before the first waiter runs admit two waiters', async () => {
    const sem = create(0);
    const both = Promise.all([sem.acquireAsync(), sem.acquireAsync()]);
    sem.release();
    sem.release();
    await both;
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
  });

  test('a release of more permits than the waiters want leaves the rest free', async () => {
    const sem = create(0);
    const taken = sem.acquireAsync(size(2));
    sem.release(5);
    await taken;
    expect(sem.available).toBe(5 - size(2));
  });

  test.each([0, -1, 1.5, Number.NaN, Infinity, 2 ** 31])(
    '%d permits throw a RangeError in every method',
    async (wrong) => {
      const sem = create(2);
      expect(() => sem.acquire(wrong)).toThrow(RangeError);
      expect(() => sem.tryAcquire(wrong)).toThrow(RangeError);
      expect(() => sem.release(wrong)).toThrow(RangeError);
      expect(await rejection(sem.acquireAsync(wrong))).toBeInstanceOf(RangeError);
      expect([sem.available, sem.waiting]).toEqual([2, 0]);
    },
  );
}
