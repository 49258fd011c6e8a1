import { expect, test } from 'vitest';
import { expectFree, expectHeld, type CreatePair } from './pair.ts';

/** Tests lock and unlock without contention. */
export function blocking(create: CreatePair): void {
  test('lock() takes a free lock at once, and unlock() releases it', () => {
    const pair = create();
    pair.lock.lock();
    expectHeld(pair);
    pair.lock.unlock();
    expectFree(pair);
  });

  test('tryLock() returns true for a free lock and false for a held one, however often it is called', () => {
    const pair = create();
    const { lock, rival } = pair;
    expect([lock.tryLock(), rival.tryLock(), rival.tryLock()]).toEqual([true, false, false]);
    lock.unlock();
    expect([rival.tryLock(), lock.tryLock(), lock.tryLock()]).toEqual([true, false, false]);
    rival.unlock();
    expectFree(pair);
  });

  test('tryLock() with a timeout returns false when the timeout has passed, not before, and leaves no trace', () => {
    const pair = create();
    pair.rival.lock();
    const began = performance.now();
    expect(pair.lock.tryLock(20)).toBe(false);
    expect(performance.now() - began).toBeGreaterThanOrEqual(19);
    pair.rival.unlock();
    expectFree(pair);
  });

  test('tryLock() with a timeout takes a free lock without waiting', () => {
    const pair = create();
    expect(pair.lock.tryLock(Infinity)).toBe(true);
    pair.lock.unlock();
    expectFree(pair);
  });

  test('after a thousand rounds of lock() and unlock() the lock is as before', () => {
    const pair = create();
    for (let round = 0; round < 1000; round++) {
      pair.lock.lock();
      pair.lock.unlock();
    }
    expectFree(pair);
  });
}
