import { expect, test } from 'vitest';
import { ending, Order, until } from '../observe.ts';
import type { CreateSemaphore } from '../types.ts';
import { abortable } from './abortable.ts';
import type { Traits } from './traits.ts';

/** Tests a semaphore without order: a permit goes to the first caller, even before the waiters. */
export function barging(create: CreateSemaphore, { size }: Traits): void {
  test('until the waiter runs, another caller may take the permit that was released for it, and the waiter keeps waiting', async () => {
    const sem = create(0);
    const order = new Order();
    const wait = order.track('waiter', sem.acquireAsync());
    sem.release();
    expect([sem.available, sem.tryAcquire(), sem.available]).toEqual([1, true, 0]);
    await until(() => sem.waiting === 1);
    expect(order.names).toEqual([]);
    sem.release();
    await wait;
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
  });

  test('drain() takes permits that were released for a waiter, which keeps waiting', async () => {
    const sem = create(0);
    const wait = sem.acquireAsync();
    sem.release();
    expect(sem.drain()).toBe(1);
    await until(() => sem.waiting === 1);
    expect(sem.available).toBe(0);
    sem.release();
    await wait;
  });

  test('a waiter for several permits blocks no other waiter and collects none', async () => {
    const sem = create(size(4) - 1);
    const big = sem.acquireAsync(size(4));
    expect([sem.available, sem.waiting]).toEqual([size(4) - 1, 1]);
    for (let taken = 1; taken < size(4); taken++) await sem.acquireAsync();
    expect([sem.available, sem.waiting]).toEqual([0, 1]);
    sem.release(size(4));
    await big;
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
  });

  test('a release of several permits admits every waiter that they suffice for, and no waiter waits for free permits', async () => {
    const sem = create(0);
    const waits = [3, 1, 2, 1, 4].map(size).map((permits) => ({ permits, wait: sem.acquireAsync(permits) }));
    const waiting = new Set(waits);
    for (const each of waits) void each.wait.then(() => waiting.delete(each));
    for (let given = 4; waiting.size > 0; given++) {
      if (given === 4) sem.release(given);
      else sem.release();
      await until(() => sem.waiting === waiting.size && [...waiting].every(({ permits }) => permits > sem.available));
      const taken = waits.filter((each) => !waiting.has(each)).reduce((sum, { permits }) => sum + permits, 0);
      expect(sem.available).toBe(given - taken);
    }
  });

  test.each([
    ['before', (release: () => void, abort: () => void) => [abort, release]],
    ['after', (release: () => void, abort: () => void) => [release, abort]],
  ])('a permit that is released just %s an abort is either taken or free', async (_, inOrder) => {
    const sem = create(0);
    const { ended, abort } = abortable(sem, 1);
    for (const act of inOrder(() => sem.release(), abort)) act();
    const taken = 'value' in (await ended) ? 1 : 0;
    expect([taken + sem.available, sem.waiting]).toEqual([1, 0]);
  });

  test.each([0, 1, 2, 3, 4])(
    'when waiter %d of five is cancelled, each release admits one of the others',
    async (leaver) => {
      const sem = create(0);
      const order = new Order();
      const waits = Array.from({ length: 5 }, () => abortable(sem, 1));
      waits.forEach(({ wait }, index) => void order.track(`${index}`, wait).catch(() => undefined));
      waits[leaver]?.abort();
      await until(() => sem.waiting === 4);
      for (let served = 1; served <= 4; served++) {
        sem.release();
        await until(() => order.names.length === served);
        expect([sem.waiting, sem.available]).toEqual([4 - served, 0]);
      }
      expect([...order.names].sort()).toEqual(['0', '1', '2', '3', '4'].filter((name) => name !== `${leaver}`));
      expect(await waits[leaver]?.ended).toMatchObject({ reason: { message: 'given up' } });
    },
  );

  test('a hundred waiters of mixed sizes are all served with permits that they pass on', async () => {
    const sem = create(5);
    let free = 5;
    const visit = async (index: number): Promise<void> => {
      const permits = size(1 + (index % 5));
      await sem.acquireAsync(permits);
      free -= permits;
      expect(free).toBeGreaterThanOrEqual(0);
      await Promise.resolve();
      free += permits;
      sem.release(permits);
    };
    const ends = await Promise.all(Array.from({ length: 100 }, (_, index) => ending(visit(index))));
    expect(ends.filter((end) => 'reason' in end)).toEqual([]);
    expect([free, sem.available, sem.waiting]).toEqual([5, 5, 0]);
  });
}
