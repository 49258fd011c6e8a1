import { expect, test } from 'vitest';
import { Order } from '../observe.ts';
import type { CreateSemaphore } from '../semaphore-suite.ts';
import { abortable } from './abortable.ts';
import type { Traits } from './traits.ts';

/** Giving up a place in a line that keeps its order. */
export function leaving(create: CreateSemaphore, { size }: Traits): void {
  test('a timeout that came before the release wins, and the permit stays free', async () => {
    const sem = create(0);
    const { ended, abort } = abortable(sem, 1);
    abort();
    sem.release();
    expect(await ended).toMatchObject({ reason: { message: 'given up' } });
    expect([sem.available, sem.waiting]).toEqual([1, 0]);
  });

  test.each([0, 1, 2, 3, 4])('when waiter %d of five gives up, the others are served in their order', async (leaver) => {
    const sem = create(0);
    const order = new Order();
    const waits = Array.from({ length: 5 }, () => abortable(sem, 1));
    const tracked = waits.map(({ wait }, index) => order.track(`${index}`, wait).catch(() => undefined));
    waits[leaver]?.abort();
    expect(sem.waiting).toBe(4);
    for (const [index, wait] of tracked.entries()) {
      if (index === leaver) continue;
      sem.release();
      await wait;
    }
    expect(order.names).toEqual(['0', '1', '2', '3', '4'].filter((name) => name !== `${leaver}`));
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
  });

  test('a waiter that comes after one that gave up takes its turn and no more', async () => {
    const sem = create(0);
    const first = sem.acquireAsync();
    const leaver = abortable(sem, size(3));
    const last = sem.acquireAsync();
    leaver.abort();
    const newcomer = sem.acquireAsync(size(2));
    sem.release();
    await first;
    sem.release();
    await last;
    expect([sem.available, sem.waiting]).toEqual([0, 1]);
    sem.release(size(2));
    await newcomer;
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
  });
}
