import { expect, test } from 'vitest';
import { Order } from '../observe.ts';
import type { CreateSemaphore } from '../semaphore-suite.ts';

/** First come, first served. */
export function order(create: CreateSemaphore): void {
  test('waiters are served in the order in which they came', async () => {
    const sem = create(0);
    const order = new Order();
    const names = Array.from({ length: 12 }, (_, index) => `waiter ${index}`);
    const all = names.map((name) => order.track(name, sem.acquireAsync()));
    for (const waiter of all) {
      sem.release();
      await waiter;
    }
    expect(order.names).toEqual(names);
  });

  test('waiters are served in their order whatever number of permits each wants', async () => {
    const sem = create(0);
    const order = new Order();
    const wanted = [2, 1, 5, 1, 3, 2, 1, 8];
    const all = wanted.map((permits, index) => order.track(`${index} wants ${permits}`, sem.acquireAsync(permits)));
    for (const [index, waiter] of all.entries()) {
      for (let given = 0; given < (wanted[index] ?? 0); given++) {
        expect(sem.waiting).toBe(wanted.length - index);
        sem.release();
      }
      await waiter;
    }
    expect(order.names).toEqual(wanted.map((permits, index) => `${index} wants ${permits}`));
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
  });

  test('a big wait at the head keeps back the small ones behind it until it has all its permits', async () => {
    const sem = create(0);
    const order = new Order();
    const big = order.track('big', sem.acquireAsync(4));
    const small = [order.track('small 1', sem.acquireAsync()), order.track('small 2', sem.acquireAsync())];
    sem.release(3);
    expect([sem.available, sem.waiting]).toEqual([0, 3]);
    sem.release();
    await big;
    expect([sem.available, sem.waiting]).toEqual([0, 2]);
    sem.release(2);
    await Promise.all(small);
    expect(order.names[0]).toBe('big');
  });

  test('what a big wait at the head has gathered is not available to anybody else', async () => {
    const sem = create(3);
    const big = sem.acquireAsync(4);
    expect([sem.available, sem.tryAcquire(), sem.drain()]).toEqual([0, false, 0]);
    sem.release();
    await big;
  });

  test('tryAcquire never overtakes: not a waiter, not one that was just granted, not a big one', async () => {
    const sem = create(0);
    const first = sem.acquireAsync();
    const second = sem.acquireAsync(2);
    expect(sem.tryAcquire()).toBe(false);
    sem.release();
    expect(sem.tryAcquire()).toBe(false);
    sem.release();
    expect(sem.tryAcquire()).toBe(false);
    sem.release(2);
    await Promise.all([first, second]);
    expect([sem.available, sem.tryAcquire(), sem.tryAcquire()]).toEqual([1, true, false]);
  });

  test('an acquire that comes later does not get the permits that an earlier one waits for', async () => {
    const sem = create(1);
    const big = sem.acquireAsync(2);
    const small = sem.acquireAsync();
    expect(sem.waiting).toBe(2);
    sem.release();
    await big;
    expect(sem.waiting).toBe(1);
    sem.release();
    await small;
  });

  test('a hundred waiters of mixed sizes all get through on permits that they pass on', async () => {
    const sem = create(5);
    let free = 5;
    const visit = async (index: number): Promise<void> => {
      const permits = 1 + (index % 5);
      await sem.acquireAsync(permits);
      free -= permits;
      expect(free).toBeGreaterThanOrEqual(0);
      await Promise.resolve();
      free += permits;
      sem.release(permits);
    };
    await Promise.all(Array.from({ length: 100 }, (_, index) => visit(index)));
    expect([free, sem.available, sem.waiting]).toEqual([5, 5, 0]);
  });
}
