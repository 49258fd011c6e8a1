import { expect, test } from 'vitest';
import { Order, rejection } from '../observe.ts';
import type { CreateSemaphore } from '../semaphore-suite.ts';

/** Taking and giving back, with nobody in the way. */
export function permits(create: CreateSemaphore): void {
  test('a new semaphore has its permits free and nobody waits', () => {
    const sem = create(3);
    expect([sem.available, sem.waiting]).toEqual([3, 0]);
    expect(create(0).available).toBe(0);
  });

  test('acquire takes one permit or as many as asked, release gives them back', () => {
    const sem = create(3);
    sem.acquire();
    expect(sem.available).toBe(2);
    sem.acquire(2);
    expect(sem.available).toBe(0);
    sem.release();
    sem.release(2);
    expect(sem.available).toBe(3);
  });

  test('permits are not bound to who took them: a release without an acquire adds one', () => {
    const sem = create(0);
    sem.release(2);
    expect(sem.available).toBe(2);
    sem.acquire(2);
    expect(sem.available).toBe(0);
  });

  test('tryAcquire takes all that is asked or nothing', () => {
    const sem = create(3);
    expect(sem.tryAcquire(4)).toBe(false);
    expect(sem.available).toBe(3);
    expect(sem.tryAcquire(3)).toBe(true);
    expect(sem.tryAcquire()).toBe(false);
    expect(sem.available).toBe(0);
  });

  test('tryAcquire with a timeout gives up after it, not before, and nothing changes', () => {
    const sem = create(1);
    const began = performance.now();
    expect(sem.tryAcquire(2, 20)).toBe(false);
    expect(performance.now() - began).toBeGreaterThanOrEqual(19);
    expect([sem.available, sem.waiting]).toEqual([1, 0]);
  });

  test('tryAcquire with a timeout takes what is free without waiting for it', () => {
    const sem = create(2);
    expect(sem.tryAcquire(2, Infinity)).toBe(true);
    expect(sem.available).toBe(0);
  });

  test('drain takes every free permit and says how many, none when none is free', () => {
    const sem = create(3);
    sem.acquire();
    expect([sem.drain(), sem.drain(), sem.available]).toEqual([2, 0, 0]);
    sem.release(3);
    expect(sem.available).toBe(3);
  });

  test('acquireAsync takes what is free before it returns', async () => {
    const sem = create(3);
    const taken = sem.acquireAsync(2);
    expect([sem.available, sem.waiting]).toEqual([1, 0]);
    await taken;
    expect(sem.available).toBe(1);
  });

  test('acquireAsync without permits waits, and a release ends the wait', async () => {
    const sem = create(0);
    const taken = sem.acquireAsync();
    expect([sem.available, sem.waiting]).toEqual([0, 1]);
    sem.release();
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
    await taken;
  });

  test('two releases before the first waiter runs admit two waiters', async () => {
    const sem = create(0);
    const both = Promise.all([sem.acquireAsync(), sem.acquireAsync()]);
    sem.release();
    sem.release();
    await both;
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
  });

  test('one release of several permits admits as many waiters as it is for', async () => {
    const sem = create(0);
    const order = new Order();
    const tracked = [1, 1, 2, 1].map((permits, index) => order.track(`waiter ${index}`, sem.acquireAsync(permits)));
    sem.release(4);
    await Promise.all(tracked.slice(0, 3));
    expect([...order.names].sort()).toEqual(['waiter 0', 'waiter 1', 'waiter 2']);
    expect([sem.available, sem.waiting]).toEqual([0, 1]);
    sem.release();
    await tracked[3];
  });

  test('a release larger than what is waited for leaves the rest free', async () => {
    const sem = create(0);
    const taken = sem.acquireAsync(2);
    sem.release(5);
    await taken;
    expect(sem.available).toBe(3);
  });

  test.each([0, -1, 1.5, Number.NaN, Infinity, 2 ** 31])('%d permits are a RangeError in every method', async (wrong) => {
    const sem = create(2);
    expect(() => sem.acquire(wrong)).toThrow(RangeError);
    expect(() => sem.tryAcquire(wrong)).toThrow(RangeError);
    expect(() => sem.release(wrong)).toThrow(RangeError);
    expect(await rejection(sem.acquireAsync(wrong))).toBeInstanceOf(RangeError);
    expect([sem.available, sem.waiting]).toEqual([2, 0]);
  });
}
