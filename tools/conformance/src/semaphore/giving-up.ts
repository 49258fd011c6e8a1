import { expect, test } from 'vitest';
import { busyFor, Order, rejection, until } from '../observe.ts';
import type { CreateStepped, SteppedSemaphore } from '../types.ts';
import { abortable } from './abortable.ts';
import type { Traits } from './traits.ts';

/** Tests timeouts and aborts: the wait takes nothing, leaves no trace and delays no other waiter. */
export function givingUp(create: CreateStepped, { barging, remote, size }: Traits): void {
  /** At a barging semaphore, a cancelled waiter may check once more, and leaves slightly later. */
  const leaversAreGone = async (sem: SteppedSemaphore): Promise<void> => {
    if (barging) await until(async () => (await sem.counts())[1] === 0);
    else expect((await sem.counts())[1]).toBe(0);
  };

  test('a timed-out wait rejects with a TimeoutError and takes nothing', async () => {
    const free = size(2) - 1;
    const sem = await create(free);
    const failure = await rejection(sem.acquireAsync(size(2), { timeout: 3 }));
    expect(failure).toMatchObject({ name: 'TimeoutError', code: 'SLUICE_TIMEOUT' });
    expect(await sem.counts()).toEqual([free, 0]);
  });

  test('a timeout of 0 takes free permits and does not wait for others', async () => {
    const sem = await create(1);
    await sem.acquireAsync(1, { timeout: 0 });
    expect(await rejection(sem.acquireAsync(1, { timeout: 0 }))).toMatchObject({ code: 'SLUICE_TIMEOUT' });
    expect(await sem.counts()).toEqual([0, 0]);
  });

  test('an infinite timeout and a timeout of a century never elapse', async () => {
    const sem = await create(0);
    const both = Promise.all([sem.acquireAsync(1, { timeout: Infinity }), sem.acquireAsync(1, { timeout: 1e12 })]);
    expect(await sem.counts()).toEqual([0, 2]);
    await sem.release(2);
    await both;
  });

  test('a timed-out wait does not take a permit that is released later', async () => {
    const sem = await create(0);
    await rejection(sem.acquireAsync(1, { timeout: 1 }));
    await sem.release();
    expect(await sem.counts()).toEqual([1, 0]);
    expect(await sem.tryAcquire()).toBe(true);
  });

  test('an aborted wait rejects at once with the unchanged reason of the signal', async () => {
    const sem = await create(0);
    const controller = new AbortController();
    const reason = { why: 'shut down' };
    const wait = rejection(sem.acquireAsync(1, { signal: controller.signal }));
    controller.abort(reason);
    await leaversAreGone(sem);
    expect(await wait).toBe(reason);
  });

  test('acquireAsync() with an aborted signal rejects and takes nothing, even if permits are free', async () => {
    const sem = await create(2);
    const reason = new Error('aborted before');
    expect(await rejection(sem.acquireAsync(1, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(await sem.counts()).toEqual([2, 0]);
  });

  test('an abort after the permits were taken has no effect', async () => {
    const sem = await create(1);
    const controller = new AbortController();
    await sem.acquireAsync(1, { signal: controller.signal });
    controller.abort();
    expect(await sem.counts()).toEqual([0, 0]);
  });

  // On a server, a timeout that elapses while the grant is in transit wins.
  if (!remote)
    test('a grant that comes before the timeout resolves the wait', async () => {
      const sem = await create(0);
      const wait = sem.acquireAsync(1, { timeout: 3 });
      void sem.release();
      busyFor(6);
      await wait;
      expect(await sem.counts()).toEqual([0, 0]);
    });

  test('a grant that comes before the abort resolves the wait', async () => {
    const sem = await create(0);
    const { wait, abort } = abortable(sem, 1);
    const released = sem.release();
    // In shared memory the grant has arrived when the call returns, so nothing may run before the next line.
    if (remote) await released;
    abort();
    await wait;
    expect(await sem.counts()).toEqual([0, 0]);
  });

  test.each([
    ['first to last', [0, 1, 2, 3, 4, 5]],
    ['last to first', [5, 4, 3, 2, 1, 0]],
    ['from the middle', [2, 3, 1, 4, 0, 5]],
  ])('after all of six waiters were cancelled, %s, the line is as before', async (_, leavers) => {
    const sem = await create(0);
    const waits = [1, 3, 1, 2, 4, 1].map((permits) => abortable(sem, size(permits)));
    for (const leaver of leavers) waits[leaver]?.abort();
    await leaversAreGone(sem);
    expect(await sem.counts()).toEqual([0, 0]);
    await Promise.all(waits.map(({ ended }) => ended));
    await sem.release(2);
    expect(await sem.counts()).toEqual([2, 0]);
    expect([await sem.tryAcquire(), await sem.tryAcquire(), await sem.tryAcquire()]).toEqual([true, true, false]);
  });

  test('timeouts of different lengths end in their own order, and the other waiters are served', async () => {
    const sem = await create(0);
    const order = new Order();
    // The wait with the longer timeout begins first. A pause of the thread between the two that is shorter than the
    // difference of the timeouts does not change the order.
    const rejected = [150, 3].map((timeout) =>
      order.track(`${timeout} ms`, rejection(sem.acquireAsync(1, { timeout }))),
    );
    const last = sem.acquireAsync();
    await Promise.all(rejected);
    expect(order.names).toEqual(['3 ms', '150 ms']);
    await sem.release();
    await last;
    expect(await sem.counts()).toEqual([0, 0]);
  });
}
