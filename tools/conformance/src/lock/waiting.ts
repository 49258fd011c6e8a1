import { expect, test } from 'vitest';
import { Order, turn } from '../observe.ts';
import type { ConformingLock } from '../types.ts';
import { expectFree, expectHeld, type CreatePair } from './pair.ts';

interface Promises {
  readonly fifo: boolean;
  /** Whether a caller may take a free lock before the waiters. */
  readonly barging: boolean;
  /** Whether only one task can hold the lock, rather than all tasks of one agent. */
  readonly exclusive: boolean;
}

/** Tests async waiters: which of them hold the lock at the same time, and the order in which they get it. */
export function waiting(create: CreatePair, { fifo, barging, exclusive }: Promises): void {
  test('lockAsync() takes a free lock', async () => {
    const pair = create();
    await pair.lock.lockAsync();
    expectHeld(pair);
    pair.lock.unlock();
    expectFree(pair);
  });

  test('async holders that exclude each other never hold the lock at the same time', async () => {
    const pair = create();
    const { lock, rival } = pair;
    const inside = new Map([lock, rival].map((side) => [side, 0]));
    const counts: number[][] = [];
    const enter = (side: ConformingLock, more: number): void => {
      inside.set(side, (inside.get(side) ?? 0) + more);
      counts.push([...inside.values()]);
    };
    const visit = async (index: number): Promise<void> => {
      const side = index % 2 === 0 ? lock : rival;
      await side.lockAsync();
      enter(side, 1);
      await turn();
      enter(side, -1);
      side.unlock();
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => visit(index)));
    expect(counts).toHaveLength(40);
    expect(counts.filter(([ours = 0, theirs = 0]) => ours > 0 && theirs > 0)).toEqual([]);
    if (exclusive) expect(counts.filter(([ours = 0]) => ours > 1)).toEqual([]);
    expectFree(pair);
  });

  test.runIf(fifo)('async waiters are served in order of arrival', async () => {
    const pair = create();
    const { lock, rival } = pair;
    rival.lock();
    const order = new Order();
    const names = Array.from({ length: 12 }, (_, index) => `waiter ${index}`);
    const all = names.map(async (waiter) => {
      await order.track(waiter, lock.lockAsync());
      lock.unlock();
    });
    rival.unlock();
    await Promise.all(all);
    expect(order.names).toEqual(names);
    expectFree(pair);
  });

  test.skipIf(barging)('tryLock() does not overtake a waiter that was just granted the lock', async () => {
    const pair = create();
    const { lock, rival } = pair;
    rival.lock();
    const waiter = lock.lockAsync();
    rival.unlock();
    expectHeld(pair);
    await waiter;
    lock.unlock();
    expectFree(pair);
  });
}
