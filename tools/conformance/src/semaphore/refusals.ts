import { expect, test } from 'vitest';
import { rejection } from '../observe.ts';
import type { CreateSemaphore } from '../types.ts';
import type { Traits } from './traits.ts';

const UNSUPPORTED = { name: 'UnsupportedError', code: 'SLUICE_UNSUPPORTED' };

/** Tests a semaphore at which no agent can wait for several permits at once. */
export function refusals(create: CreateSemaphore, { triesSeveral }: Traits): void {
  test.each([
    ['more than are free', 1],
    ['as many as are free', 3],
    ['fewer than are free', 5],
  ])('a wait for several permits throws an UnsupportedError that names the number, even of %s', async (_, free) => {
    const sem = create(free);
    const unsupported = expect.objectContaining({
      ...UNSUPPORTED,
      message: expect.stringContaining('3 permits at once') as string,
    }) as Error;
    expect(() => sem.acquire(3)).toThrow(unsupported);
    expect(() => sem.tryAcquire(3, 5)).toThrow(unsupported);
    expect(() => sem.tryAcquire(3, Infinity)).toThrow(unsupported);
    if (!triesSeveral) expect(() => sem.tryAcquire(3)).toThrow(unsupported);
    expect(await rejection(sem.acquireAsync(3))).toEqual(unsupported);
    expect(await rejection(sem.acquireAsync(3, { timeout: 1 }))).toEqual(unsupported);
    expect([sem.available, sem.waiting]).toEqual([free, 0]);
  });

  test('the UnsupportedError leaves the waiters in line', async () => {
    const sem = create(0);
    const first = sem.acquireAsync();
    expect(await rejection(sem.acquireAsync(2))).toMatchObject(UNSUPPORTED);
    const second = sem.acquireAsync();
    expect(sem.waiting).toBe(2);
    sem.release(2);
    await Promise.all([first, second]);
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
  });

  test('the error of a closed semaphore says that the wait is unsupported or that the semaphore is closed', async () => {
    const sem = create(3);
    sem.close();
    expect(((await rejection(sem.acquireAsync(2))) as { code: string }).code).toMatch(/SLUICE_(UNSUPPORTED|CLOSED)/);
    expect(await rejection(sem.acquireAsync())).toMatchObject({ code: 'SLUICE_CLOSED' });
  });
}
