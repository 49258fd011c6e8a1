import { expect, test } from 'vitest';
import { Arena, Semaphore } from '../src/index.ts';
import { turn } from './support/turn.ts';

const arena = Arena.create({ maxPages: 16 });
const agent = arena.agentId;

test('inspect() of a new semaphore reports its name, its maximum, and neither holders nor waiters', () => {
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

test('inspect() reports holders with the permits that they have not released', () => {
  const sem = Semaphore.create(5, { arena });
  sem.acquire(2);
  sem.acquire();
  expect(sem.inspect().holders).toMatchObject([{ agent, permits: 3 }]);
  sem.release(2);
  expect(sem.inspect().holders).toMatchObject([{ agent, permits: 1 }]);
  sem.release();
  expect(sem.inspect().holders).toEqual([]);
});

test('inspect() reports permits taken by drain() and by tryAcquire()', () => {
  const sem = Semaphore.create(5, { arena });
  sem.tryAcquire(2);
  sem.drain();
  expect(sem.inspect().holders).toMatchObject([{ agent, permits: 5 }]);
});

test('inspect() reports no holders if the semaphore keeps no records', () => {
  const sem = Semaphore.create(2, { arena, recovery: false });
  sem.acquire();
  expect(sem.inspect()).toMatchObject({ available: 1, holders: [] });
});

test('a release of permits that another agent acquired makes no negative holder', () => {
  const sem = Semaphore.create(0, { arena });
  sem.release(3);
  expect(sem.inspect()).toMatchObject({ available: 3, holders: [] });
  sem.acquire(2);
  expect(sem.inspect().holders).toMatchObject([{ agent, permits: 2 }]);
});

test('inspect() reports the waiters in the order of service, with their permits and the start of their waits', async () => {
  const before = Date.now();
  const sem = Semaphore.create(0, { arena });
  const waits = [3, 1, 2].map((permits) => sem.acquireAsync(permits));
  const { waiters } = sem.inspect();
  expect(waiters.map(({ since: _, age: __, ...rest }) => rest)).toEqual(
    [3, 1, 2].map((permits) => ({
      agent,
      title: expect.stringMatching(`^agent ${agent}\\b`) as string,
      permits,
      kind: 'async',
    })),
  );
  for (const { since } of waiters) {
    expect(since).toBeGreaterThanOrEqual(before);
    expect(since).toBeLessThanOrEqual(Date.now());
  }
  sem.release(6);
  await Promise.all(waits);
  expect(sem.inspect()).toMatchObject({ waiters: [], holders: [{ agent, permits: 6 }] });
});

test('inspect() reports the time of admission only for a holder that had to wait', async () => {
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

test('waiters that cancelled in mid-line are counted until the line has passed them', async () => {
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

test('inspect() of a closed semaphore reports that it is closed, and the agents that still hold permits', async () => {
  const sem = Semaphore.create(1, { arena });
  sem.acquire();
  const wait = sem.acquireAsync().catch(() => 'closed');
  sem.close();
  expect(sem.inspect()).toMatchObject({ state: 'closed', waiters: [], holders: [{ agent, permits: 1 }] });
  expect(await wait).toBe('closed');
});

test('waiting counts only the waiters of its own semaphore', async () => {
  const [one, other] = [Semaphore.create(0, { arena }), Semaphore.create(0, { arena })];
  const waits = [one.acquireAsync(), other.acquireAsync(), other.acquireAsync()];
  expect([one.waiting, other.waiting, arena.inspect().elements.waiting]).toEqual([1, 2, 3]);
  one.release();
  other.release(2);
  await Promise.all(waits);
  await turn();
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
});

test('permits that were released to a closed semaphore are no longer held', () => {
  const sem = Semaphore.create(3, { arena });
  sem.acquire(3);
  sem.close();
  expect(sem.inspect().holders).toMatchObject([{ agent, permits: 3 }]);
  sem.release(2);
  expect(sem.inspect().holders).toMatchObject([{ agent, permits: 1 }]);
  sem.release(2);
  expect(sem.inspect()).toMatchObject({ holders: [], available: 0 });
  const unrecorded = Semaphore.create(1, { arena, recovery: false });
  unrecorded.acquire();
  unrecorded.close();
  unrecorded.release();
  expect(unrecorded.inspect()).toMatchObject({ holders: [], available: 0 });
});
