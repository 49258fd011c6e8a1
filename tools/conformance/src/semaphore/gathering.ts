import { expect, test } from 'vitest';
import { Order } from '../observe.ts';
import type { CreateStepped } from '../types.ts';
import { abortable } from './abortable.ts';

/** Tests waits for several permits in FIFO order: the head of the line gathers its permits. */
export function gathering(create: CreateStepped): void {
  test('a large wait at the head blocks the smaller waits behind it until it has all its permits', async () => {
    const sem = await create(0);
    const order = new Order();
    const big = order.track('big', sem.acquireAsync(4));
    const small = [order.track('small 1', sem.acquireAsync()), order.track('small 2', sem.acquireAsync())];
    await sem.release(3);
    expect(await sem.counts()).toEqual([0, 3]);
    await sem.release();
    await big;
    expect(await sem.counts()).toEqual([0, 2]);
    await sem.release(2);
    await Promise.all(small);
    expect(order.names[0]).toBe('big');
  });

  test('permits that the head of the line has collected are not available to other callers', async () => {
    const sem = await create(3);
    const big = sem.acquireAsync(4);
    expect(await sem.counts()).toEqual([0, 1]);
    expect([await sem.tryAcquire(), (await sem.drain?.()) ?? 0]).toEqual([false, 0]);
    await sem.release();
    await big;
  });

  test('a later acquire does not get the permits for which an earlier one waits', async () => {
    const sem = await create(1);
    const big = sem.acquireAsync(2);
    const small = sem.acquireAsync();
    expect(await sem.counts()).toEqual([0, 2]);
    await sem.release();
    await big;
    expect(await sem.counts()).toEqual([0, 1]);
    await sem.release();
    await small;
  });

  test('a head with 6 of 8 permits that is cancelled passes all 6 on at once', async () => {
    const sem = await create(0);
    const big = abortable(sem, 8);
    const small = [2, 3, 1].map((permits) => sem.acquireAsync(permits));
    await sem.release(6);
    expect(await sem.counts()).toEqual([0, 4]);
    big.abort();
    expect(await sem.counts()).toEqual([0, 0]);
    await Promise.all(small);
    expect(await big.ended).toMatchObject({ reason: { message: 'given up' } });
  });

  test('a head with 6 of 8 permits that is cancelled leaves them free if no waiter is behind it', async () => {
    const sem = await create(0);
    const big = abortable(sem, 8);
    await sem.release(6);
    big.abort();
    await big.ended;
    expect(await sem.counts()).toEqual([6, 0]);
    expect(await sem.tryAcquire(6)).toBe(true);
  });

  test('the permits of a leaving head go to the waiters behind it as far as they suffice', async () => {
    const sem = await create(4);
    const big = abortable(sem, 5);
    const three = sem.acquireAsync(3);
    const two = sem.acquireAsync(2);
    big.abort();
    await three;
    expect(await sem.counts()).toEqual([0, 1]);
    expect(await sem.tryAcquire()).toBe(false);
    await sem.release();
    await two;
    expect(await sem.counts()).toEqual([0, 0]);
  });

  test('when several waiters in a row are cancelled, the permits pass over all of them at once', async () => {
    const sem = await create(1);
    const leavers = [3, 1, 2, 1].map((permits) => abortable(sem, permits));
    const last = sem.acquireAsync();
    for (const { abort } of [...leavers].reverse()) abort();
    expect(await sem.counts()).toEqual([0, 0]);
    await last;
  });
}
