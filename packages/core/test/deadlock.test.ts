import { expect, test } from 'vitest';
import { Arena, DeadlockError, Semaphore } from '../src/index.ts';

const arena = Arena.create({ maxPages: 16 });

test('a blocking acquire behind an async wait of the same agent throws, and the async wait goes on', async () => {
  const sem = Semaphore.create(0, { arena });
  const wait = sem.acquireAsync();
  expect(() => sem.acquire()).toThrow(DeadlockError);
  expect([sem.available, sem.waiting]).toEqual([0, 1]);
  sem.release();
  await wait;
});

test('it throws also for a wait that was granted and has not run yet: it cannot give its permit back', async () => {
  const sem = Semaphore.create(0, { arena });
  const wait = sem.acquireAsync();
  sem.release();
  expect(() => sem.acquire()).toThrow(DeadlockError);
  await wait;
  sem.release();
  sem.acquire();
  expect(sem.available).toBe(0);
});

test('every instance of the semaphore in this agent knows of the wait', async () => {
  const sem = Semaphore.create(0, { arena, recovery: false });
  const wait = sem.acquireAsync();
  const twin = Semaphore.from(sem.handle);
  expect(() => twin.acquire()).toThrow(DeadlockError);
  expect(() => twin.hold()).toThrow(DeadlockError);
  expect(() => twin.asLock().lock()).toThrow(DeadlockError);
  sem.release();
  await wait;
});

test('an async wait on one semaphore does not hinder a blocking acquire of another', async () => {
  const [one, other] = [Semaphore.create(0, { arena }), Semaphore.create(1, { arena })];
  const wait = one.acquireAsync();
  other.acquire();
  one.release();
  await wait;
  expect(other.available).toBe(0);
});

test('an acquire that would wait is refused, one that is free is not, once the async waits have settled', async () => {
  const sem = Semaphore.create(0, { arena });
  await sem.acquireAsync(1, { timeout: 1 }).catch(() => undefined);
  sem.release();
  sem.acquire();
  expect(sem.available).toBe(0);
});

test('tryAcquire with a timeout may wait behind an async wait of its own agent: it ends by itself', async () => {
  const sem = Semaphore.create(0, { arena });
  const wait = sem.acquireAsync();
  expect(sem.tryAcquire(1, 5)).toBe(false);
  expect(sem.waiting).toBe(1);
  sem.release();
  await wait;
});
