import { expect, test } from 'vitest';
import { Arena, Semaphore } from '../src/index.ts';
import { turn } from './support/turn.ts';

const arena = Arena.create({ maxPages: 16 });
const agent = arena.agentId;

test('inspect() of a new semaphore shows its name, its bound, and neither holders nor waiters', () => {
  const sem = Semaphore.create(2, { arena, name: 'gate', max: 9 });
  const idle = {
    kind: 'semaphore',
    name: 'gate',
    state: 'open',
    available: 2,
    max: 9,
    holders: [],
    waiters: [],
    abandoned: 0,
  };
  expect(sem.inspect()).toEqual(idle);
});

test('inspect() shows the holders with their permits, without those that were released', () => {
  const sem = Semaphore.create(5, { arena });
  sem.acquire(2);
  sem.acquire();
  expect(sem.inspect().holders).toEqual([{ agent, permits: 3 }]);
  sem.release(2);
  expect(sem.inspect().holders).toEqual([{ agent, permits: 1 }]);
  sem.release();
  expect(sem.inspect().holders).toEqual([]);
});

test('inspect shows permits taken by drain and by tryAcquire too', () => {
  const sem = Semaphore.create(5, { arena });
  sem.tryAcquire(2);
  sem.drain();
  expect(sem.inspect().holders).toEqual([{ agent, permits: 5 }]);
});

test('inspect shows no holders where no record is kept', () => {
  const sem = Semaphore.create(2, { arena, recovery: false });
  sem.acquire();
  expect(sem.inspect()).toMatchObject({ available: 1, holders: [] });
});

test('a release of permits that another took makes no negative holder', () => {
  const sem = Semaphore.create(0, { arena });
  sem.release(3);
  expect(sem.inspect()).toMatchObject({ available: 3, holders: [] });
  sem.acquire(2);
  expect(sem.inspect().holders).toEqual([{ agent, permits: 2 }]);
});

test('inspect shows the waiters in the order in which they will be served, with what they want and since when', async () => {
  const before = Date.now();
  const sem = Semaphore.create(0, { arena });
  const waits = [3, 1, 2].map((permits) => sem.acquireAsync(permits));
  const { waiters } = sem.inspect();
  expect(waiters.map(({ since: _, ...rest }) => rest)).toEqual(
    [3, 1, 2].map((permits) => ({ agent, permits, kind: 'async' })),
  );
  for (const { since } of waiters) {
    expect(since).toBeGreaterThanOrEqual(before);
    expect(since).toBeLessThanOrEqual(Date.now());
  }
  sem.release(6);
  await Promise.all(waits);
  expect(sem.inspect()).toMatchObject({ waiters: [], holders: [{ agent, permits: 6 }] });
});

test('a holder that had to wait is shown with the time when it was admitted, one that did not is not', async () => {
  const before = Date.now();
  const sem = Semaphore.create(1, { arena });
  sem.acquire();
  expect(sem.inspect().holders[0]).not.toHaveProperty('since');
  sem.release();
  sem.acquire();
  const wait = sem.acquireAsync();
  sem.release();
  await wait;
  const since = sem.inspect().holders[0]?.since ?? 0;
  expect(since).toBeGreaterThanOrEqual(before);
  expect(since).toBeLessThanOrEqual(Date.now());
});

test('a waiter that was granted and has not run yet counts as a holder, not as a waiter', async () => {
  const sem = Semaphore.create(0, { arena });
  const wait = sem.acquireAsync(2);
  sem.release(2);
  expect(sem.inspect()).toMatchObject({ available: 0, waiters: [], holders: [{ agent, permits: 2 }] });
  await wait;
  expect(sem.inspect()).toMatchObject({ holders: [{ agent, permits: 2 }] });
});

test('waiters that gave up in the middle of the line are counted until they are passed over', async () => {
  const sem = Semaphore.create(0, { arena });
  const first = sem.acquireAsync();
  const controller = new AbortController();
  const leaver = sem.acquireAsync(1, { signal: controller.signal }).catch(() => 'left');
  const last = sem.acquireAsync();
  controller.abort();
  expect(sem.inspect()).toMatchObject({ abandoned: 1, waiters: [{}, {}] });
  expect(await leaver).toBe('left');
  sem.release(2);
  await Promise.all([first, last]);
  expect(sem.inspect()).toMatchObject({ available: 0, abandoned: 0, waiters: [] });
});

test('inspect() of a closed semaphore says that it is closed, and shows the agents that still hold permits', async () => {
  const sem = Semaphore.create(1, { arena });
  sem.acquire();
  const wait = sem.acquireAsync().catch(() => 'closed');
  sem.close();
  expect(sem.inspect()).toMatchObject({ state: 'closed', waiters: [], holders: [{ agent, permits: 1 }] });
  expect(await wait).toBe('closed');
});

test('waiting counts the waiters of this semaphore only', async () => {
  const [one, other] = [Semaphore.create(0, { arena }), Semaphore.create(0, { arena })];
  const waits = [one.acquireAsync(), other.acquireAsync(), other.acquireAsync()];
  expect([one.waiting, other.waiting, arena.inspect().elements.waiting]).toEqual([1, 2, 3]);
  one.release();
  other.release(2);
  await Promise.all(waits);
  await turn();
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
});

test('permits that are given back to a closed semaphore are not held any more', () => {
  const sem = Semaphore.create(3, { arena });
  sem.acquire(3);
  sem.close();
  expect(sem.inspect().holders).toEqual([{ agent, permits: 3 }]);
  sem.release(2);
  expect(sem.inspect().holders).toEqual([{ agent, permits: 1 }]);
  sem.release(2);
  expect(sem.inspect()).toMatchObject({ holders: [], available: 0 });
  const unrecorded = Semaphore.create(1, { arena, recovery: false });
  unrecorded.acquire();
  unrecorded.close();
  unrecorded.release();
  expect(unrecorded.inspect()).toMatchObject({ holders: [], available: 0 });
});
