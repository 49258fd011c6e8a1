import { expect, test } from 'vitest';
import type { ConformingLock } from '../types.ts';
import { expectFree } from './expect-free.ts';

/** Taking and giving back, with nobody in the way. */
export function blocking(create: () => ConformingLock): void {
  test('lock takes a free lock at once, and unlock gives it back', () => {
    const lock = create();
    lock.lock();
    expect(lock.tryLock()).toBe(false);
    lock.unlock();
    expectFree(lock);
  });

  test('tryLock takes a free lock and refuses a held one, as often as it is asked', () => {
    const lock = create();
    expect([lock.tryLock(), lock.tryLock(), lock.tryLock()]).toEqual([true, false, false]);
    lock.unlock();
    expectFree(lock);
  });

  test('tryLock with a timeout gives up after it, not before, and leaves nothing behind', () => {
    const lock = create();
    lock.lock();
    const began = performance.now();
    expect(lock.tryLock(20)).toBe(false);
    expect(performance.now() - began).toBeGreaterThanOrEqual(19);
    lock.unlock();
    expectFree(lock);
  });

  test('tryLock with a timeout takes a free lock without waiting for it', () => {
    const lock = create();
    expect(lock.tryLock(Infinity)).toBe(true);
    lock.unlock();
    expectFree(lock);
  });

  test('a thousand rounds of lock and unlock leave the lock as it was', () => {
    const lock = create();
    for (let round = 0; round < 1000; round++) {
      lock.lock();
      lock.unlock();
    }
    expectFree(lock);
  });
}
