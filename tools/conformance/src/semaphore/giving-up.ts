import { expect, test } from 'vitest';
import { busyFor, ending, Order, rejection } from '../observe.ts';
import type { CreateSemaphore } from '../semaphore-suite.ts';

/** A wait that can be given up by hand: `abort()`, then `ended` holds its reason. */
function abortable(sem: ReturnType<CreateSemaphore>, permits: number) {
  const controller = new AbortController();
  const wait = sem.acquireAsync(permits, { signal: controller.signal });
  return { wait, abort: (): void => controller.abort(new Error('given up')), ended: ending(wait) };
}

/** Timeouts and aborts: nothing is taken, nothing is left behind, nobody is delayed. */
export function givingUp(create: CreateSemaphore): void {
  test('a timeout rejects with a TimeoutError and takes nothing', async () => {
    const sem = create(1);
    const failure = await rejection(sem.acquireAsync(2, { timeout: 3 }));
    expect(failure).toMatchObject({ name: 'TimeoutError', code: 'SLUICE_TIMEOUT' });
    expect([sem.available, sem.waiting]).toEqual([1, 0]);
  });

  test('a timeout of 0 takes what is free and does not wait for what is not', async () => {
    const sem = create(1);
    await sem.acquireAsync(1, { timeout: 0 });
    expect(await rejection(sem.acquireAsync(1, { timeout: 0 }))).toMatchObject({ code: 'SLUICE_TIMEOUT' });
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
  });

  test('an endless timeout and one of a century are no timeout', async () => {
    const sem = create(0);
    const both = Promise.all([sem.acquireAsync(1, { timeout: Infinity }), sem.acquireAsync(1, { timeout: 1e12 })]);
    expect(sem.waiting).toBe(2);
    sem.release(2);
    await both;
  });

  test('a wait that timed out does not take a permit that is released later', async () => {
    const sem = create(0);
    await rejection(sem.acquireAsync(1, { timeout: 1 }));
    sem.release();
    expect([sem.available, sem.tryAcquire()]).toEqual([1, true]);
  });

  test('an abort rejects with the reason of the signal, untouched, at once', async () => {
    const sem = create(0);
    const controller = new AbortController();
    const reason = { why: 'shut down' };
    const wait = rejection(sem.acquireAsync(1, { signal: controller.signal }));
    controller.abort(reason);
    expect(sem.waiting).toBe(0);
    expect(await wait).toBe(reason);
  });

  test('a signal that is aborted already takes nothing, also when permits are free', async () => {
    const sem = create(2);
    const reason = new Error('aborted before');
    expect(await rejection(sem.acquireAsync(1, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect([sem.available, sem.waiting]).toEqual([2, 0]);
  });

  test('a signal that is aborted after the permits were taken changes nothing', async () => {
    const sem = create(1);
    const controller = new AbortController();
    await sem.acquireAsync(1, { signal: controller.signal });
    controller.abort();
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
  });

  test('a grant that came before the timeout wins', async () => {
    const sem = create(0);
    const wait = sem.acquireAsync(1, { timeout: 3 });
    sem.release();
    busyFor(6);
    await wait;
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
  });

  test('a grant that came before the abort wins', async () => {
    const sem = create(0);
    const { wait, abort } = abortable(sem, 1);
    sem.release();
    abort();
    await wait;
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
  });

  test('a timeout that came before the release wins, and the permit stays free', async () => {
    const sem = create(0);
    const { ended, abort } = abortable(sem, 1);
    abort();
    sem.release();
    expect(await ended).toMatchObject({ reason: { message: 'given up' } });
    expect([sem.available, sem.waiting]).toEqual([1, 0]);
  });

  test.each([0, 1, 2, 3, 4])('whoever gives up, here waiter %d of five, the others are served in their order', async (leaver) => {
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

  test.each([
    ['first to last', [0, 1, 2, 3, 4, 5]],
    ['last to first', [5, 4, 3, 2, 1, 0]],
    ['from the middle', [2, 3, 1, 4, 0, 5]],
  ])('when all of six give up, %s, the line is as if nobody had come', async (_, leavers) => {
    const sem = create(0);
    const waits = [1, 3, 1, 2, 4, 1].map((permits) => abortable(sem, permits));
    for (const leaver of leavers) waits[leaver]?.abort();
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
    await Promise.all(waits.map(({ ended }) => ended));
    sem.release(2);
    expect([sem.available, sem.drain()]).toEqual([2, 2]);
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

  test('a head that had gathered 6 of 8 leaves them free when nobody is behind it', async () => {
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

  test('a waiter that comes after one that gave up takes its turn and no more', async () => {
    const sem = create(0);
    const first = sem.acquireAsync();
    const leaver = abortable(sem, 3);
    const last = sem.acquireAsync();
    leaver.abort();
    const newcomer = sem.acquireAsync(2);
    sem.release();
    await first;
    sem.release();
    await last;
    expect([sem.available, sem.waiting]).toEqual([0, 1]);
    sem.release(2);
    await newcomer;
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
  });

  test('timeouts of different lengths end in their own order, and the rest are served', async () => {
    const sem = create(0);
    const order = new Order();
    const rejected = [12, 3].map((timeout) => order.track(`${timeout} ms`, rejection(sem.acquireAsync(1, { timeout }))));
    const last = sem.acquireAsync();
    await Promise.all(rejected);
    expect(order.names).toEqual(['3 ms', '12 ms']);
    sem.release();
    await last;
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
  });
}
