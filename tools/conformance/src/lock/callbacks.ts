import { expect, test } from 'vitest';
import { rejection, turn } from '../observe.ts';
import type { ConformingLock } from '../types.ts';
import { expectFree } from './expect-free.ts';

/** `run` and `runAsync`. */
export function callbacks(create: () => ConformingLock): void {
  test('run holds the lock during the callback and returns what it returns', () => {
    const lock = create();
    expect(lock.run(() => lock.tryLock())).toBe(false);
    expectFree(lock);
  });

  test('run gives the lock back when the callback throws', () => {
    const lock = create();
    const failure = new Error('inside');
    expect(() =>
      lock.run(() => {
        throw failure;
      }),
    ).toThrow(failure);
    expectFree(lock);
  });

  test('runAsync holds the lock until the promise of the callback settles', async () => {
    const lock = create();
    const free: boolean[] = [];
    const result = await lock.runAsync(async () => {
      free.push(lock.tryLock());
      await turn();
      free.push(lock.tryLock());
      return 'result';
    });
    expect([result, ...free]).toEqual(['result', false, false]);
    expectFree(lock);
  });

  test('runAsync gives the lock back when the callback throws or rejects', async () => {
    const lock = create();
    const failure = new Error('inside');
    const thrower = (): number => {
      throw failure;
    };
    expect(await rejection(lock.runAsync(thrower))).toBe(failure);
    expect(await rejection(lock.runAsync(() => Promise.reject(failure)))).toBe(failure);
    expectFree(lock);
  });

  test('runAsync does not call the callback of a wait that was given up', async () => {
    const lock = create();
    lock.lock();
    let called = false;
    const body = (): void => void (called = true);
    expect(await rejection(lock.runAsync(body, { timeout: 1 }))).toMatchObject({ code: 'SLUICE_TIMEOUT' });
    lock.unlock();
    await turn();
    expect(called).toBe(false);
    expectFree(lock);
  });

  test('a callback that is no function is a TypeError, before the lock is taken', async () => {
    const lock = create();
    const body = 'no function' as unknown as () => void;
    expect(() => lock.run(body)).toThrow(TypeError);
    expect(await rejection(lock.runAsync(body))).toBeInstanceOf(TypeError);
    expectFree(lock);
  });
}
