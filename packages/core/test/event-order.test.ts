import { expect, onTestFinished, test, vi } from 'vitest';
import { Arena, Semaphore } from '../src/index.ts';

const arena = Arena.create({ maxPages: 16, policy: { buckets: 16 } });

test('acquireAsync() of a free permit resolves in the next microtask, before timers and immediates', async () => {
  const events: string[] = [];
  const immediate = new Promise<void>((resolve) => setImmediate(() => resolve(void events.push('immediate'))));
  const sem = Semaphore.create(1, { arena });
  const taken = sem.acquireAsync().then(() => events.push('taken'));
  events.push('went on');
  await Promise.all([taken, immediate]);
  expect(events).toEqual(['went on', 'taken', 'immediate']);
});

test('release() never runs the continuation of a wait itself', async () => {
  const events: string[] = [];
  const sem = Semaphore.create(0, { arena });
  const wait = sem.acquireAsync().then(() => events.push('continued'));
  sem.release();
  events.push('released');
  await wait;
  expect(events).toEqual(['released', 'continued']);
});

test('an abort rejects its wait before the next turn of the event loop', async () => {
  const events: string[] = [];
  const sem = Semaphore.create(0, { arena });
  const controller = new AbortController();
  const wait = sem.acquireAsync(1, { signal: controller.signal }).catch(() => events.push('aborted'));
  const immediate = new Promise<void>((resolve) => setImmediate(() => resolve(void events.push('immediate'))));
  controller.abort();
  await Promise.all([wait, immediate]);
  expect(events).toEqual(['aborted', 'immediate']);
});

test('an abort() within an abort listener ends each wait once, with its own reason', async () => {
  const sem = Semaphore.create(0, { arena });
  const [outer, inner] = [new AbortController(), new AbortController()];
  outer.signal.addEventListener('abort', () => inner.abort('inner'));
  const waits = [outer, inner, outer].map(({ signal }) =>
    sem.acquireAsync(1, { signal }).catch((reason: unknown) => reason),
  );
  outer.abort('outer');
  expect(await Promise.all(waits)).toEqual(['outer', 'inner', 'outer']);
  expect(sem.inspect()).toMatchObject({ available: 0, waiters: [], abandoned: 0 });
});

test('release() within an abort listener serves the next waiter, not the waits that the abort ends', async () => {
  const sem = Semaphore.create(0, { arena });
  const controller = new AbortController();
  const leaver = sem.acquireAsync(1, { signal: controller.signal }).catch(() => 'left');
  controller.signal.addEventListener('abort', () => sem.release());
  const next = sem.acquireAsync().then(() => 'next');
  controller.abort();
  expect(await Promise.all([leaver, next])).toEqual(['left', 'next']);
});

test('a signal keeps no listener of a settled wait', async () => {
  const sem = Semaphore.create(1, { arena });
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners.add(args[1]);
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners.delete(args[1]);
    remove(...args);
  };
  await sem.acquireAsync(1, { signal });
  const granted = sem.acquireAsync(1, { signal });
  const timedOut = sem.acquireAsync(1, { signal, timeout: 1 }).catch(() => undefined);
  expect(listeners.size).toBe(1);
  sem.release();
  await Promise.all([granted, timedOut]);
  expect(listeners.size).toBe(0);
});

test('a granted wait with a timeout leaves no timer behind', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const sem = Semaphore.create(0, { arena });
  const wait = sem.acquireAsync(1, { timeout: 100_000 });
  expect(vi.getTimerCount()).toBe(1);
  sem.release();
  await wait;
  expect(vi.getTimerCount()).toBe(0);
});

test.each([1, 4, 256])(
  'the waiters that one release() admits settle in the order of their tickets, with %i bucket(s)',
  async (buckets) => {
    const sem = Semaphore.create(0, { arena: Arena.create({ maxPages: 4, policy: { buckets } }) });
    const order: number[] = [];
    const sizes = [2, 1, 3, 1, 1, 2];
    const waits = sizes.map((permits, index) => sem.acquireAsync(permits).then(() => order.push(index)));
    sem.release(10);
    await Promise.all(waits);
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  },
);
