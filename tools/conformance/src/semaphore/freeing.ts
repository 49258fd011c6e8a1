import { expect, test } from 'vitest';
import { rejection } from '../observe.ts';
import type { CreateSemaphore } from '../types.ts';

const CLOSED = { name: 'ClosedError', code: 'SLUICE_CLOSED' };

/**
 * Tests the members that only a semaphore in shared memory has, after its close: blocking forms, `drain`, and `free`.
 */
export function freeing(create: CreateSemaphore): void {
  test('blocking calls and drain() throw after close(), although permits are free', () => {
    const sem = create(2);
    sem.close();
    expect(() => sem.acquire()).toThrow(expect.objectContaining(CLOSED) as Error);
    expect(() => sem.tryAcquire(1, 5)).toThrow(expect.objectContaining(CLOSED) as Error);
    expect(() => sem.drain()).toThrow(expect.objectContaining(CLOSED) as Error);
  });

  test('free() throws while an agent waits for the semaphore, and changes nothing', async () => {
    const sem = create(0);
    const wait = sem.acquireAsync();
    expect(() => sem.free()).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error);
    sem.release();
    await wait;
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
  });

  test('after free() every call throws a MisuseError', async () => {
    const MISUSE = { name: 'MisuseError', code: 'SLUICE_MISUSE' };
    const sem = create(2);
    sem.close();
    sem.free();
    const uses = [
      () => sem.acquire(),
      () => sem.tryAcquire(),
      () => sem.tryAcquire(1, 5),
      () => sem.drain(),
      () => sem.release(),
      () => sem.close(),
      () => sem.free(),
      () => sem.available,
      () => sem.waiting,
    ];
    for (const use of uses) expect(use).toThrow(expect.objectContaining(MISUSE) as Error);
    expect(await rejection(sem.acquireAsync())).toMatchObject(MISUSE);
  });
}
