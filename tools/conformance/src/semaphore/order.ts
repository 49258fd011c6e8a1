import { expect, test } from 'vitest';
import { Order } from '../observe.ts';
import type { CreateStepped } from '../types.ts';
import type { Traits } from './traits.ts';

/** Tests the FIFO order. */
export function order(create: CreateStepped, { size }: Traits): void {
  test('waiters are served in order of arrival', async () => {
    const sem = await create(0);
    const order = new Order();
    const names = Array.from({ length: 12 }, (_, index) => `waiter ${index}`);
    const all = names.map((name) => order.track(name, sem.acquireAsync()));
    for (const waiter of all) {
      await sem.release();
      await waiter;
    }
    expect(order.names).toEqual(names);
  });

  test('waiters are served in their order, whatever number of permits each wants', async () => {
    const sem = await create(0);
    const order = new Order();
    const wanted = [2, 1, 5, 1, 3, 2, 1, 8].map(size);
    const all = wanted.map((permits, index) => order.track(`${index} wants ${permits}`, sem.acquireAsync(permits)));
    for (const [index, waiter] of all.entries()) {
      for (let given = 0; given < (wanted[index] ?? 0); given++) {
        expect(await sem.counts()).toEqual([0, wanted.length - index]);
        await sem.release();
      }
      await waiter;
    }
    expect(order.names).toEqual(wanted.map((permits, index) => `${index} wants ${permits}`));
    expect(await sem.counts()).toEqual([0, 0]);
  });

  test('tryAcquire() never overtakes a waiter, not even one that was just granted or that wants many permits', async () => {
    const sem = await create(0);
    const first = sem.acquireAsync();
    const second = sem.acquireAsync(size(2));
    expect(await sem.tryAcquire()).toBe(false);
    for (let given = 0; given < size(2); given++)
      expect((await Promise.all([sem.release(), sem.tryAcquire()]))[1]).toBe(false);
    await sem.release(2);
    await Promise.all([first, second]);
    expect(await sem.counts()).toEqual([1, 0]);
    expect(await Promise.all([sem.tryAcquire(), sem.tryAcquire()])).toEqual([true, false]);
  });

  test('one release of several permits admits the first waiters, as many as they suffice for', async () => {
    const sem = await create(0);
    const order = new Order();
    const sizes = [1, 1, 2, 1].map(size);
    const tracked = sizes.map((permits, index) => order.track(`waiter ${index}`, sem.acquireAsync(permits)));
    await sem.release(sum(sizes.slice(0, 3)));
    await Promise.all(tracked.slice(0, 3));
    expect([...order.names].sort()).toEqual(['waiter 0', 'waiter 1', 'waiter 2']);
    expect(await sem.counts()).toEqual([0, 1]);
    await sem.release();
    await tracked[3];
  });

  test('a hundred waiters of mixed sizes are all served with permits that they pass on', async () => {
    const sem = await create(5);
    let free = 5;
    const visit = async (index: number): Promise<void> => {
      const permits = size(1 + (index % 5));
      await sem.acquireAsync(permits);
      free -= permits;
      expect(free).toBeGreaterThanOrEqual(0);
      await Promise.resolve();
      free += permits;
      await sem.release(permits);
    };
    await Promise.all(Array.from({ length: 100 }, (_, index) => visit(index)));
    expect([free, ...(await sem.counts())]).toEqual([5, 5, 0]);
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
