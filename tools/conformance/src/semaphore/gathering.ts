import { expect, test } from 'vitest';
import { Order } from '../observe.ts';
import type { CreateSemaphore } from '../semaphore-suite.ts';
import { abortable } from './abortable.ts';

/** Several permits at once in a line that keeps its order: the head of the line gathers its permits. */
export function gathering(create: CreateSemaphore): void {
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

  test('what a big wait at the head has gathered is not available to any other caller', async () => {
    const sem = create(3);
    const big = sem.acquireAsync(4);
    expect([sem.available, sem.tryAcquire(), sem.drain()]).toEqual([0, false, 0]);
    sem.release();
    await big;
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

  test('a head that had gathered 6 of 8 hands all 6 on at once when it gives up', async () => {
    const sem = create(0);
    const big = abortable(sem, 8);
    const small = [2, 3, 1].map((permits) => sem.acquireAsync(permits));
    sem.release(6);
    expect([sem.available, sem.waiting]).toEqual([0, 4]);
    big.abort();
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
    await Promise.all(small);
    expect(await big.ended).toMatchObject({ reason: { message: 'given up' } });
  });

  test('a head that had gathered 6 of 8 permits and gives up leaves them free if no agent is behind it', async () => {
    const sem = create(0);
    const big = abortable(sem, 8);
    sem.release(6);
    big.abort();
    await big.ended;
    expect([sem.available, sem.drain()]).toEqual([6, 6]);
  });

  test('what a leaving head leaves over goes to those behind as far as it reaches', async () => {
    const sem = create(4);
    const big = abortable(sem, 5);
    const three = sem.acquireAsync(3);
    const two = sem.acquireAsync(2);
    big.abort();
    await three;
    expect([sem.available, sem.waiting, sem.tryAcquire()]).toEqual([0, 1, false]);
    sem.release();
    await two;
    expect(sem.available).toBe(0);
  });

  test('several in a row give up, and the permits pass over all of them at once', async () => {
    const sem = create(1);
    const leavers = [3, 1, 2, 1].map((permits) => abortable(sem, permits));
    const last = sem.acquireAsync();
    for (const { abort } of [...leavers].reverse()) abort();
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
    await last;
  });
}
