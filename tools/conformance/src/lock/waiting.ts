import { expect, test } from 'vitest';
import { Order, turn } from '../observe.ts';
import type { ConformingLock } from '../types.ts';
import { expectFree } from './expect-free.ts';

/** Async waiters: one inside at a time, in their order. */
export function waiting(create: () => ConformingLock, fifo: boolean): void {
  test('lockAsync takes a free lock', async () => {
    const lock = create();
    await lock.lockAsync();
    expect(lock.tryLock()).toBe(false);
    lock.unlock();
    expectFree(lock);
  });

  test('at most one of many async holders is inside at any time', async () => {
    const lock = create();
    let inside = 0;
    let entries = 0;
    const visit = async (): Promise<void> => {
      await lock.lockAsync();
      expect(++inside).toBe(1);
      entries += 1;
      await turn();
      inside -= 1;
      lock.unlock();
    };
    await Promise.all(Array.from({ length: 20 }, visit));
    expect(entries).toBe(20);
    expectFree(lock);
  });

  test.runIf(fifo)('async waiters are served in the order in which they came', async () => {
    const lock = create();
    lock.lock();
    const order = new Order();
    const names = Array.from({ length: 12 }, (_, index) => `waiter ${index}`);
    const all = names.map(async (waiter) => {
      await order.track(waiter, lock.lockAsync());
      lock.unlock();
    });
    lock.unlock();
    await Promise.all(all);
    expect(order.names).toEqual(names);
    expectFree(lock);
  });

  test.runIf(fifo)('tryLock does not overtake a waiter that the lock was just given to', async () => {
    const lock = create();
    lock.lock();
    const waiter = lock.lockAsync();
    lock.unlock();
    expect(lock.tryLock()).toBe(false);
    await waiter;
    lock.unlock();
    expectFree(lock);
  });
}
