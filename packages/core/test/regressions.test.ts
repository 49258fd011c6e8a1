// Defects that were found by attack, each as it was found.

import { Arena, DEFAULT_POLICY, Semaphore } from '@sluice/core';
import { expect, test } from 'vitest';

test('a signal that refuses a listener rejects before a ticket is drawn', async () => {
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

test('a timed try without an end behind an async wait of its own thread is a deadlock', async () => {
  const sem = Semaphore.create(0, { arena: Arena.create({ maxPages: 4 }) });
  const wait = sem.acquireAsync();
  expect(() => sem.tryAcquire(1, Infinity)).toThrow(expect.objectContaining({ code: 'SLUICE_DEADLOCK' }) as Error);
  sem.release();
  await wait;
  expect(sem.waiting).toBe(0);
});

test('options are read once, so that they cannot change between the check and the wait', async () => {
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

test('a closed semaphore has nothing available and can be freed at once', () => {
  const sem = Semaphore.create(3, { arena: Arena.create({ maxPages: 4 }) });
  sem.close();
  expect(sem.available).toBe(0);
  sem.free();
});

test('classes keep their names, and their constructors say what to use instead', () => {
  expect(Semaphore.name).toBe('Semaphore');
  const make = Semaphore as unknown as new () => Semaphore;
  expect(() => new make()).toThrow('Semaphore.create');
});

test('in a full arena what must not block fails at once and draws no ticket', async () => {
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
