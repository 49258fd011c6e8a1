import { expect, test } from 'vitest';
import type { ConformingLock } from '../types.ts';
import { expectFree, expectHeld, type CreatePair } from './pair.ts';

function expectRefused(lock: Pick<ConformingLock, 'unlock'>): void {
  expect(() => lock.unlock()).toThrow(expect.objectContaining({ name: 'MisuseError', code: 'SLUICE_MISUSE' }) as Error);
}

/** Tests a lock that knows its holder. */
export function ownership(create: CreatePair, { barging }: { readonly barging: boolean }): void {
  test('unlock() of a free lock throws', () => {
    const pair = create();
    for (const each of [pair.lock, pair.rival]) expectRefused(each);
    expectFree(pair);
  });

  test('unlock() throws when it was called as often as the lock was locked', () => {
    const pair = create();
    pair.lock.lock();
    pair.lock.unlock();
    expectRefused(pair.lock);
    expectFree(pair);
  });

  test('release() of a guard throws after unlock() by hand, and changes nothing', () => {
    const pair = create();
    const guard = pair.lock.hold();
    pair.lock.unlock();
    expectRefused({ unlock: () => guard.release() });
    expectFree(pair);
  });

  test('unlock() throws for an agent that does not hold the lock', () => {
    const pair = create();
    const { lock, rival } = pair;
    expect(lock).not.toBe(rival);
    for (const [holder, other] of [
      [lock, rival],
      [rival, lock],
    ] as const) {
      holder.lock();
      expectRefused(other);
      expect(other.tryLock()).toBe(false);
      holder.unlock();
    }
    expectFree(pair);
  });

  test.skipIf(barging)(
    'unlock() cannot take the lock from a waiter that was granted it and has not run yet',
    async () => {
      const pair = create();
      const { lock, rival } = pair;
      rival.lock();
      const waiter = lock.lockAsync();
      rival.unlock();
      expectRefused(rival);
      expectHeld(pair);
      await waiter;
      lock.unlock();
      expectFree(pair);
    },
  );
}
