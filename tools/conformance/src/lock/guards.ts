import { expect, test } from 'vitest';
import { rejection } from '../observe.ts';
import type { ConformingLock } from '../types.ts';
import { expectFree } from './expect-free.ts';

/** Guards. */
export function guards(create: () => ConformingLock): void {
  test('a guard holds the lock until it is released, and a second release does nothing', () => {
    const lock = create();
    const guard = lock.hold();
    expect([guard.held, lock.tryLock()]).toEqual([true, false]);
    guard.release();
    expect(guard.held).toBe(false);
    lock.lock();
    guard.release();
    expect(lock.tryLock()).toBe(false);
    lock.unlock();
    expectFree(lock);
  });

  test('a guard is released by its Symbol.dispose, as a using block does', () => {
    const lock = create();
    const guard = lock.hold();
    const dispose = (guard as unknown as Record<symbol, (() => void) | undefined>)[Symbol.dispose];
    dispose?.call(guard);
    expect(guard.held).toBe(false);
    expectFree(lock);
  });

  test('tryHold gives a guard for a free lock and null for a held one', () => {
    const lock = create();
    const guard = lock.tryHold();
    expect(guard?.held).toBe(true);
    expect([lock.tryHold(), lock.tryHold(1)]).toEqual([null, null]);
    guard?.release();
    expectFree(lock);
  });

  test('holdAsync resolves with a guard, and rejects as lockAsync does', async () => {
    const lock = create();
    const guard = await lock.holdAsync();
    expect(await rejection(lock.holdAsync({ timeout: 1 }))).toMatchObject({ code: 'SLUICE_TIMEOUT' });
    guard.release();
    expectFree(lock);
  });
}
