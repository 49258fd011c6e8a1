import { expect, test } from 'vitest';
import { Order } from '../observe.ts';
import type { CreateStepped } from '../types.ts';
import { abortable } from './abortable.ts';
import type { Traits } from './traits.ts';

/** Tests waiters that leave a line with FIFO order. */
export function leaving(create: CreateStepped, { size }: Traits): void {
  test('a timeout before the release ends the wait, and the permit stays free', async () => {
    const sem = await create(0);
    const { ended, abort } = abortable(sem, 1);
    abort();
    await sem.release();
    expect(await ended).toMatchObject({ reason: { message: 'given up' } });
    expect(await sem.counts()).toEqual([1, 0]);
  });

  test.each([0, 1, 2, 3, 4])(
    'when waiter %d of five is cancelled, the others are served in their order',
    async (leaver) => {
      const sem = await create(0);
      const order = new Order();
      const waits = Array.from({ length: 5 }, () => abortable(sem, 1));
      const tracked = waits.map(({ wait }, index) => order.track(`${index}`, wait).catch(() => undefined));
      waits[leaver]?.abort();
      expect(await sem.counts()).toEqual([0, 4]);
      for (const [index, wait] of tracked.entries()) {
        if (index === leaver) continue;
        await sem.release();
        await wait;
      }
      expect(order.names).toEqual(['0', '1', '2', '3', '4'].filter((name) => name !== `${leaver}`));
      expect(await sem.counts()).toEqual([0, 0]);
    },
  );

  test('a waiter that arrives after a cancelled one takes its turn and no more', async () => {
    const sem = await create(0);
    const first = sem.acquireAsync();
    const leaver = abortable(sem, size(3));
    const last = sem.acquireAsync();
    leaver.abort();
    const newcomer = sem.acquireAsync(size(2));
    await sem.release();
    await first;
    await sem.release();
    await last;
    expect(await sem.counts()).toEqual([0, 1]);
    await sem.release(size(2));
    await newcomer;
    expect(await sem.counts()).toEqual([0, 0]);
  });
}
