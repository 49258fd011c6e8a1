// Regression tests of defects, each as it was found.

import { Arena, DEFAULT_POLICY, Semaphore } from '@sluice/core';
import { expect, test } from 'vitest';

test('acquireAsync() with a signal that refuses a listener rejects before it draws a ticket', async () => {
  const sem = Semaphore.create(0, { arena: Arena.create({ maxPages: 4 }) });
  const signal = Object.assign(Object.create(AbortSignal.prototype) as AbortSignal, {});
  Object.defineProperty(signal, 'aborted', { value: false });
  Object.defineProperty(signal, 'throwIfAborted', { value: () => undefined });
  Object.defineProperty(signal, 'addEventListener', {
    value: () => {
      throw new Error('no listeners here');
    },
  });
  Object.defineProperty(signal, 'removeEventListener', { value: () => undefined });
  await expect(sem.acquireAsync(1, { signal })).rejects.toMatchObject({
    name: 'TypeError',
    cause: { message: 'no listeners here' },
  });
  expect(sem.waiting).toBe(0);
  sem.release();
  expect(sem.available).toBe(1);
});

test('tryAcquire() with an infinite timeout behind an async wait of its own thread throws a DeadlockError', async () => {
  const sem = Semaphore.create(0, { arena: Arena.create({ maxPages: 4 }) });
  const wait = sem.acquireAsync();
  expect(() => sem.tryAcquire(1, Infinity)).toThrow(expect.objectContaining({ code: 'SLUICE_DEADLOCK' }) as Error);
  sem.release();
  await wait;
  expect(sem.waiting).toBe(0);
});

test('options are read once, so they cannot change between the check and the wait', async () => {
  const sem = Semaphore.create(0, { arena: Arena.create({ maxPages: 4 }) });
  let reads = 0;
  const options = {
    get timeout(): number {
      reads += 1;
      return 1;
    },
  };
  await expect(sem.acquireAsync(1, options)).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
  expect(reads).toBe(1);
});

test('a closed semaphore has no available permits and can be freed at once', () => {
  const sem = Semaphore.create(3, { arena: Arena.create({ maxPages: 4 }) });
  sem.close();
  expect(sem.available).toBe(0);
  sem.free();
});

test('classes keep their names, and their constructors name the methods to use instead', () => {
  expect(Semaphore.name).toBe('Semaphore');
  const make = Semaphore as unknown as new () => Semaphore;
  expect(() => new make()).toThrow('Semaphore.create');
});

test('in a full arena, calls that cannot get an element fail at once and draw no ticket', async () => {
  const arena = Arena.create({ maxPages: 1, policy: { ...DEFAULT_POLICY, buckets: 16 } });
  const sem = Semaphore.create(1, { arena });
  fill(arena);
  sem.acquire();
  await expect(sem.acquireAsync()).rejects.toMatchObject({ code: 'SLUICE_ARENA_FULL' });
  expect(() => sem.tryAcquire(1, 1)).toThrow(expect.objectContaining({ code: 'SLUICE_ARENA_FULL' }) as Error);
  expect(sem.waiting).toBe(0);
  sem.release();
  expect(sem.available).toBe(1);
});

/** Creates semaphores until there is no room for one more. */
function fill(arena: Arena): void {
  try {
    for (;;) Semaphore.create(0, { arena, recovery: false });
  } catch (full) {
    expect(full).toMatchObject({ code: 'SLUICE_ARENA_FULL' });
  }
}
