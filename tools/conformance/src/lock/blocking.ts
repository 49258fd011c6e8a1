import { expect, test } from 'vitest';
import { expectFree, expectHeld, type CreatePair } from './pair.ts';

/** Tests lock and unlock without contention. */
export function blocking(create: CreatePair): void {
  test('lock takes a free lock at once, and unlock gives it back', () => {
    const pair = create();
    pair.lock.lock();
    expectHeld(pair);
    pair.lock.unlock();
    expectFree(pair);
  });

  test('tryLock takes a free lock and refuses a held one, as often as it is asked', () => {
    const pair = create();
    const { lock, rival } = pair;
    expect([lock.tryLock(), rival.tryLock(), rival.tryLock()]).toEqual([true, false, false]);
    lock.unlock();
    expect([rival.tryLock(), lock.tryLock(), lock.tryLock()]).toEqual([true, false, false]);
    rival.unlock();
    expectFree(pair);
  });

  test('tryLock with a timeout gives up after it, not before, and leaves nothing behind', () => {
    const pair = create();
    pair.rival.lock();
    const began = performance.now();
    expect(pair.lock.tryLock(20)).toBe(false);
    expect(performance.now() - began).toBeGreaterThanOrEqual(19);
    pair.rival.unlock();
    expectFree(pair);
  });

  test('tryLock with a timeout takes a free lock without waiting for it', () => {
    const pair = create();
    expect(pair.lock.tryLock(Infinity)).toBe(true);
    pair.lock.unlock();
    expectFree(pair);
  });

  test('a thousand rounds of lock and unlock leave the lock as it was', () => {
    const pair = create();
    for (let round = 0; round < 1000; round++) {
      pair.lock.lock();
      pair.lock.unlock();
    }
    expectFree(pair);
  });
}
