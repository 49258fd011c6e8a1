import { expect, test } from 'vitest';
import { Arena, DeadlockError, Semaphore } from '../src/index.ts';

const arena = Arena.create({ maxPages: 16 });

test('acquire() behind an async wait of the same agent throws, and the async wait stays in line', async () => {
  const sem = Semaphore.create(0, { arena });
  const wait = sem.acquireAsync();
  expect(() => sem.acquire()).toThrow(DeadlockError);
  expect([sem.available, sem.waiting]).toEqual([0, 1]);
  sem.release();
  await wait;
});

test('acquire() throws even if the async wait was granted and has not run, since its task could not release the permit', async () => {
  const sem = Semaphore.create(0, { arena });
  const wait = sem.acquireAsync();
  sem.release();
  expect(() => sem.acquire()).toThrow(DeadlockError);
  await wait;
  sem.release();
  sem.acquire();
  expect(sem.available).toBe(0);
});

test('acquire() on any instance of the semaphore throws if the agent has an async wait', async () => {
  const sem = Semaphore.create(0, { arena, recovery: false });
  const wait = sem.acquireAsync();
  const twin = Semaphore.from(sem.handle);
  expect(() => twin.acquire()).toThrow(DeadlockError);
  expect(() => twin.hold()).toThrow(DeadlockError);
  expect(() => twin.asLock().lock()).toThrow(DeadlockError);
  sem.release();
  await wait;
});

test('acquire() is allowed while the agent has an async wait on another semaphore', async () => {
  const [one, other] = [Semaphore.create(0, { arena }), Semaphore.create(1, { arena })];
  const wait = one.acquireAsync();
  other.acquire();
  one.release();
  await wait;
  expect(other.available).toBe(0);
});

test('after the async waits have settled, acquire() takes a free permit', async () => {
  const sem = Semaphore.create(0, { arena });
  await sem.acquireAsync(1, { timeout: 1 }).catch(() => undefined);
  sem.release();
  sem.acquire();
  expect(sem.available).toBe(0);
});

test('tryAcquire() with a timeout may wait behind an async wait of its agent, since it ends by itself', async () => {
  const sem = Semaphore.create(0, { arena });
  const wait = sem.acquireAsync();
  expect(sem.tryAcquire(1, 5)).toBe(false);
  expect(sem.waiting).toBe(1);
  sem.release();
  await wait;
});
