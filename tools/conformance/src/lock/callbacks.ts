import { expect, test } from 'vitest';
import { rejection, turn } from '../observe.ts';
import { expectFree, type CreatePair } from './pair.ts';

/** `run` and `runAsync`. */
export function callbacks(create: CreatePair): void {
  test('run() holds the lock during the callback and returns its result', () => {
    const pair = create();
    expect(pair.lock.run(() => pair.rival.tryLock())).toBe(false);
    expectFree(pair);
  });

  test('run() unlocks when the callback throws', () => {
    const pair = create();
    const failure = new Error('inside');
    expect(() =>
      pair.lock.run(() => {
        throw failure;
      }),
    ).toThrow(failure);
    expectFree(pair);
  });

  test('runAsync() holds the lock until the promise of the callback settles', async () => {
    const pair = create();
    const free: boolean[] = [];
    const result = await pair.lock.runAsync(async () => {
      free.push(pair.rival.tryLock());
      await turn();
      free.push(pair.rival.tryLock());
      return 'result';
    });
    expect([result, ...free]).toEqual(['result', false, false]);
    expectFree(pair);
  });

  test('runAsync() unlocks when the callback throws or rejects', async () => {
    const pair = create();
    const failure = new Error('inside');
    const thrower = (): number => {
      throw failure;
    };
    expect(await rejection(pair.lock.runAsync(thrower))).toBe(failure);
    expect(await rejection(pair.lock.runAsync(() => Promise.reject(failure)))).toBe(failure);
    expectFree(pair);
  });

  test('runAsync() does not call the callback if its wait was cancelled', async () => {
    const pair = create();
    const { lock, rival } = pair;
    rival.lock();
    let called = false;
    const body = (): void => void (called = true);
    expect(await rejection(lock.runAsync(body, { timeout: 1 }))).toMatchObject({ code: 'SLUICE_TIMEOUT' });
    rival.unlock();
    await turn();
    expect(called).toBe(false);
    expectFree(pair);
  });

  test('a callback that is no function throws a TypeError before the lock is taken', async () => {
    const pair = create();
    const body = 'no function' as unknown as () => void;
    expect(() => pair.lock.run(body)).toThrow(TypeError);
    expect(await rejection(pair.lock.runAsync(body))).toBeInstanceOf(TypeError);
    expectFree(pair);
  });
}
