import { expect, test } from 'vitest';
import { rejection } from '../observe.ts';
import { expectFree, expectHeld, type CreatePair } from './pair.ts';

/** Guards. */
export function guards(create: CreatePair): void {
  test('a guard holds the lock until its release, and a second release has no effect', () => {
    const pair = create();
    const { lock } = pair;
    const guard = lock.hold();
    expect(guard.held).toBe(true);
    expectHeld(pair);
    guard.release();
    expect(guard.held).toBe(false);
    lock.lock();
    guard.release();
    expectHeld(pair);
    lock.unlock();
    expectFree(pair);
  });

  test('Symbol.dispose releases a guard, as at the end of a using block', () => {
    const pair = create();
    const guard = pair.lock.hold();
    const dispose = (guard as unknown as Record<symbol, (() => void) | undefined>)[Symbol.dispose];
    dispose?.call(guard);
    expect(guard.held).toBe(false);
    expectFree(pair);
  });

  test('tryHold() returns a guard for a free lock and null for a held one', () => {
    const pair = create();
    const { lock, rival } = pair;
    const guard = lock.tryHold();
    expect(guard?.held).toBe(true);
    expect([rival.tryHold(), rival.tryHold(1)]).toEqual([null, null]);
    guard?.release();
    expectFree(pair);
  });

  test('holdAsync() resolves with a guard, and rejects like lockAsync()', async () => {
    const pair = create();
    const { lock, rival } = pair;
    const guard = await lock.holdAsync();
    expect(await rejection(rival.holdAsync({ timeout: 1 }))).toMatchObject({ code: 'SLUICE_TIMEOUT' });
    guard.release();
    expectFree(pair);
  });
}
