// Inner locks of third parties, in one thread and between threads.

import { Arena, MisuseError, Region } from '@sluice/core';
import { withWorkers } from '@sluice/harness';
import { expect, test } from 'vitest';
import { turn } from '../../core/test/support/turn.ts';
import { CapacitorLock } from '../src/index.ts';
import { COUNT, CROWDED, GO, MAX_BLOCKED_MS, WORDS, type WrappedData } from './jobs/wrapped.mjs';
import { gateOf, insideOf } from './support/routes.ts';
import { adaptGuards, GuardMutex, plainLock, PrivateLock } from './support/third-party.ts';

const arena = Arena.create({ maxPages: 16, policy: { buckets: 8 } });
const DEAD_INNER = 'its inner lock does not detect dead owners';

test('an inner lock with only lock() and unlock() supports lock(), isHeld and run(), and throws for tryLock() and lockAsync()', async () => {
  const inner = plainLock();
  const lock = CapacitorLock.create(inner, { arena, bypassLimit: 1 });
  lock.lock();
  expect([lock.owned, insideOf(lock)]).toEqual([true, 1]);
  lock.unlock();
  lock.hold().release();
  expect(lock.run(() => 7)).toBe(7);
  expect(inner.log).toEqual(['lock', 'unlock', 'lock', 'unlock', 'lock', 'unlock']);
  for (const call of [() => lock.tryLock(), () => lock.tryLock(5), () => lock.tryHold()]) {
    expect(call).toThrow(MisuseError);
    expect(call).toThrow('its inner lock has no tryLock');
  }
  for (const call of [() => lock.lockAsync(), () => lock.holdAsync(), () => lock.runAsync(() => 0)]) {
    await expect(call()).rejects.toThrow('its inner lock has no lockAsync');
    await expect(call()).rejects.toThrow(MisuseError);
  }
  expect(() => lock.markConsistent()).toThrow(DEAD_INNER);
  expect([lock.owned, gateOf(lock).empty, inner.log.length]).toEqual([false, true, 6]);
});

test('methods of a class with private fields are called on its instance, on every route', async () => {
  for (const options of [{}, { fraction: 1 }, { skipWhenUncontended: true }, { bypassLimit: 'adaptive' }] as const) {
    const inner = new PrivateLock();
    const lock = CapacitorLock.create(inner, { arena, ...options });
    lock.lock();
    expect([inner.held, lock.tryLock()]).toEqual([true, false]);
    const waiter = lock.lockAsync();
    await turn();
    lock.unlock();
    await waiter;
    expect(inner.held).toBe(true);
    lock.unlock();
    expect([lock.tryLock(5), inner.held]).toEqual([true, true]);
    lock.unlock();
    expect(await lock.runAsync(() => inner.held)).toBe(true);
    expect([inner.held, lock.owned]).toEqual([false, false]);
    lock.free();
  }
});

test('async waiters of a wrapped third-party lock are served in FIFO order', async () => {
  const lock = CapacitorLock.create(new PrivateLock(), { arena, bypassLimit: 1 });
  const order: number[] = [];
  lock.lock();
  const all = [0, 1, 2, 3].map((index) => lock.runAsync(() => order.push(index)));
  lock.unlock();
  await Promise.all(all);
  expect(order).toEqual([0, 1, 2, 3]);
});

test('a lock that returns guards can be wrapped with a few lines', async () => {
  const word = Region.create(4, { arena }).int32;
  const lock = CapacitorLock.create(adaptGuards(new GuardMutex(word)), { arena, bypassLimit: 1 });
  expect(lock.run(() => word[0])).toBe(1);
  expect(await lock.runAsync(() => word[0])).toBe(1);
  expect([word[0], gateOf(lock).empty]).toEqual([0, true]);
  const order: number[] = [];
  lock.lock();
  const all = [0, 1, 2].map((index) => lock.runAsync(() => order.push(index)));
  await turn();
  lock.unlock();
  await Promise.all(all);
  expect([order, word[0]]).toEqual([[0, 1, 2], 0]);
});

test('a recursive third-party lock that reports its owner can be nested', async () => {
  let depth = 0;
  const enter = (): void => void (depth += 1);
  const inner = {
    lock: enter,
    tryLock: () => (depth += 1) > 0,
    unlock: () => void (depth -= 1),
    lockAsync: () => Promise.resolve().then(enter),
    get owned(): boolean {
      return depth > 0;
    },
  };
  const lock = CapacitorLock.create(inner, { arena, bypassLimit: 1 });
  lock.lock();
  try {
    lock.lock();
    expect(lock.tryLock()).toBe(true);
    await lock.lockAsync({ timeout: 5 });
    expect([depth, insideOf(lock)]).toEqual([4, 1]);
  } finally {
    while (lock.owned) lock.unlock();
  }
});

test('a wrapped lock can be wrapped again', async () => {
  const wrapped = CapacitorLock.create(new PrivateLock(), { arena, bypassLimit: 2 });
  const outer = CapacitorLock.create(wrapped, { arena, bypassLimit: 1 });
  outer.lock();
  const waiter = outer.runAsync(() => 7);
  outer.unlock();
  expect([await waiter, outer.run(() => 8), outer.tryLock()]).toEqual([7, 8, true]);
  outer.unlock();
  expect(gateOf(outer).empty).toBe(true);
});

test.each([
  [{ bypassLimit: 1 }, 'futex'],
  [{ bypassLimit: 2, skipWhenUncontended: true }, 'mutex'],
  [{ bypassLimit: 'adaptive' }, 'futex'],
  [{ bypassLimit: 4, lanes: 2, fraction: 0.3 }, 'lifo'],
  [{ bypassLimit: 4, lanes: { count: 2, order: 'random' } }, 'mutex'],
] as const)(
  'other threads open the lock with %j over a %s by its handle, with their own inner lock',
  async (options, kind) => {
    const place = Arena.create({ maxPages: 8 });
    const region = Region.create(4 * WORDS, { arena: place });
    const { createInner } = await import('./jobs/wrapped.mjs');
    const inner = createInner(kind, place, region);
    const lock = CapacitorLock.create(inner.lock, { arena: place, ...options });
    const rounds = 500;
    const data: WrappedData = { kind, lock: lock.handle, inner: inner.handle, words: region.handle, rounds };
    const words = region.int32;
    const dump = (): unknown => place.inspect();
    await withWorkers({ jobs: new URL('./jobs/wrapped.mjs', import.meta.url), seed: 1, dump }, async (group) => {
      group.start(3, 'countUp', () => data);
      await group.said('ready');
      Atomics.store(words, GO, 1);
      Atomics.notify(words, GO);
      for (const said of await group.results<string>()) expect(said).toBe('done');
    });
    expect([words[COUNT], words[CROWDED]]).toEqual([3 * rounds, 0]);
    // Its futex has no `tryLock`, and a bound of its own.
    if (kind === 'futex') lock.lock();
    else expect(lock.tryLock(MAX_BLOCKED_MS)).toBe(true);
    lock.unlock();
  },
);
