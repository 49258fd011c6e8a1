// Tests a rate limiter on a real server. Times are those of the server. A test asserts a lower bound of a time, or an
// order, but no upper bound that a busy machine could miss.

import { expect } from 'vitest';
import type { RemoteRateLimiter } from '@sluice/redis';
import { failureOf, onServer, until } from './support/server.ts';

/** A rate at which no permit comes during a test. */
const NEVER = { permits: 1, interval: 1e9, burst: 4 } as const;
/** A rate at which single permits come soon, and a whole burst not before minutes. */
const SLOW = { permits: 1, interval: 200, burst: 1000 } as const;

onServer('a rate limiter', (it) => {
  it('takes a burst at once, over all sessions, and tells when to retry', async ({ open }) => {
    const [a, b] = [(await open()).rateLimiter('api', NEVER), (await open()).rateLimiter('api', NEVER)];
    expect(await a.retryAfter(4)).toBe(0);
    expect([
      await a.available,
      await a.tryAcquire(3),
      await b.tryAcquire(),
      await a.tryAcquire(),
      await b.available,
    ]).toEqual([4, true, true, false, 0]);
    const retry = await b.retryAfter();
    expect(retry).toBeGreaterThan(0.99e9);
    expect(retry).toBeLessThanOrEqual(1e9);
    expect(await b.retryAfter(4)).toBeGreaterThan(3.99e9);
  });

  it('grants permits at its rate, over all sessions', async ({ open }) => {
    const rate = { permits: 50, interval: 1000, burst: 2 };
    const limiters = [(await open()).rateLimiter('api', rate), (await open()).rateLimiter('api', rate)];
    const began = performance.now();
    await Promise.all(Array.from({ length: 12 }, (_, i) => (limiters[i % 2] as RemoteRateLimiter).acquireAsync()));
    // Two permits at once, then ten more at 20 ms each.
    expect(performance.now() - began).toBeGreaterThanOrEqual(199);
    expect(await limiters[0]?.waiting).toBe(0);
  });

  it('serves waiters in order of arrival, whatever number of permits each wants', async ({ open }) => {
    const [a, b] = [(await open()).rateLimiter('api', SLOW), (await open()).rateLimiter('api', SLOW)];
    await a.acquireAsync(SLOW.burst);
    const served: number[] = [];
    // All permits that become available during these calls go to a call at the head that leaves later, so each of them
    // waits.
    const leave = new AbortController();
    const head = failureOf(a.acquireAsync(SLOW.burst, { signal: leave.signal }));
    await until('it waits', async () => (await a.waiting) === 1);
    const waits = (
      [
        [a, 4],
        [b, 2],
        [a, 1],
        [b, 1],
      ] as const
    ).map(([limiter, n], index) => limiter.acquireAsync(n).then(() => served.push(index)));
    await until('they wait', async () => (await a.waiting) === 5);
    const [first, ...order] = (await a.inspect()).waiters.map(({ permits }) => permits);
    expect([first, order.toSorted()]).toEqual([SLOW.burst, [1, 1, 2, 4]]);
    leave.abort(new Error('enough'));
    expect((await head).message).toBe('enough');
    await Promise.all(waits);
    expect(served.map((index) => [4, 2, 1, 1][index])).toEqual(order);
  });

  it('gives the permits of an aborted waiter to the next one', async ({ open }) => {
    const [a, b] = [(await open()).rateLimiter('api', SLOW), (await open()).rateLimiter('api', SLOW)];
    await a.acquireAsync(SLOW.burst);
    const controller = new AbortController();
    const first = failureOf(a.acquireAsync(SLOW.burst, { signal: controller.signal }));
    await until('it waits', async () => (await a.waiting) === 1);
    const second = b.acquireAsync();
    controller.abort(new Error('stop'));
    expect((await first).message).toBe('stop');
    await second;
    expect((await a.inspect()).waiters).toEqual([]);
  });

  it('does not take permits that a waiter is due', async ({ open }) => {
    const [a, b] = [(await open()).rateLimiter('api', NEVER), (await open()).rateLimiter('api', NEVER)];
    await a.acquireAsync(2);
    const controller = new AbortController();
    const waiting = failureOf(b.acquireAsync(3, { signal: controller.signal }));
    await until('it waits', async () => (await a.waiting) === 1);
    expect([await a.tryAcquire(), await a.available, await a.tryAcquire(1, 0)]).toEqual([false, 0, false]);
    expect((await a.inspect()).waiters).toMatchObject([{ permits: 3 }]);
    controller.abort(new Error('enough'));
    expect((await waiting).message).toBe('enough');
    await until('the waiter has left', async () => (await a.waiting) === 0);
    expect([await a.available, await a.tryAcquire(2)]).toEqual([2, true]);
  });

  it('times out at once at the head of the line if its permits would come too late', async ({ open }) => {
    const limiter = (await open()).rateLimiter('api', NEVER);
    await limiter.acquireAsync(4);
    // Long before this timeout.
    expect(await limiter.tryAcquire(1, 900_000)).toBe(false);
    const failure = await failureOf(limiter.acquireAsync(2, { timeout: 900_000 }));
    expect(failure).toMatchObject({
      code: 'SLUICE_TIMEOUT',
      message: "RateLimiter 'api': timed out after 900000 ms waiting for 2 permits. No permit was taken.",
    });
    await until('the waiters have left', async () => (await limiter.waiting) === 0);
  });

  it('books times one after the other, and returns the last booking', async ({ open }) => {
    const rate = { permits: 1, interval: 1e9, burst: 1 };
    const [a, b] = [(await open()).rateLimiter('mails', rate), (await open()).rateLimiter('mails', rate)];
    const [now, first, second] = [await a.reserve(), await a.reserveAsync(), await b.reserveAsync()];
    expect([now.delay, now.remaining, now.weight]).toEqual([0, 0, 1]);
    expect(first.delay).toBeGreaterThan(0.99e9);
    expect(second.delay).toBeGreaterThan(1.99e9);
    expect(second.remaining).toBeLessThanOrEqual(second.delay);
    expect([await first.cancel(), await second.cancel(), await second.cancel(), await first.cancel()]).toEqual([
      false,
      true,
      false,
      true,
    ]);
    const again = await b.reserve();
    expect(again.delay).toBeLessThanOrEqual(1e9);
    expect(await a.tryAcquire()).toBe(false);
  });

  it('makes a booking wait while calls are in line, and no longer', async ({ open }) => {
    const [a, b] = [(await open()).rateLimiter('api', NEVER), (await open()).rateLimiter('api', NEVER)];
    await a.acquireAsync(4);
    const controller = new AbortController();
    const waiting = failureOf(a.acquireAsync(1, { signal: controller.signal }));
    await until('it waits', async () => (await a.waiting) === 1);
    const booking = b.reserve(2);
    await until('the booking waits', async () => (await a.waiting) === 2);
    expect((await failureOf(b.reserve(1, { timeout: 20 }))).code).toBe('SLUICE_TIMEOUT');
    controller.abort();
    await waiting;
    expect((await booking).delay).toBeGreaterThan(1.99e9);
  });

  it('sends one command for each call that need not wait', async ({ open, command }) => {
    // The lease is so long that no heartbeat happens in between.
    const limiter = (await open({ lease: 60_000 })).rateLimiter('api', { permits: 1e6, interval: 1000 });
    await limiter.acquireAsync();
    const calls = async (): Promise<number> =>
      Number(/cmdstat_evalsha:calls=(\d+)/.exec(String(await command('INFO', 'commandstats')))?.[1]);
    const before = await calls();
    for (let i = 0; i < 63; i++) await limiter.acquireAsync();
    // With the last call enough grants have accumulated to tell the server which of them it may forget.
    expect((await calls()) - before).toBeLessThanOrEqual(64);
  });

  it('remembers taken permits after its last session has closed', async ({ open, command, namespace }) => {
    const first = await open();
    await first.rateLimiter('api', NEVER).acquireAsync(4);
    await first.rateLimiter('fast', { permits: 1000, interval: 1 }).acquireAsync();
    await first.close();
    expect(Number(await command('PTTL', `sl:{${namespace}}:p:t:api`))).toBeGreaterThan(0);
    await until('a full bucket is deleted', async () => (await command('EXISTS', `sl:{${namespace}}:p:t:fast`)) === 0);
    const second = (await open()).rateLimiter('api', NEVER);
    expect(await second.tryAcquire()).toBe(false);
    const third = await open();
    expect((await failureOf(third.rateLimiter('api', { permits: 2, interval: 1e9 }).acquireAsync())).message).toBe(
      "RateLimiter 'api' has a burst of 4 permits and one permit in 1000000000 ms on the server, and this process made it with a burst of 2 permits and one permit in 500000000 ms. All processes must agree. No permit was taken.",
    );
  });

  it('accepts another rate when no session uses it any more, without a full bucket', async ({ open }) => {
    const first = await open();
    await first.rateLimiter('api', NEVER).acquireAsync(4);
    await first.close();
    const limiter = (await open()).rateLimiter('api', { permits: 1, interval: 1e9, burst: 5 });
    expect([await limiter.tryAcquire(2), await limiter.tryAcquire()]).toEqual([false, true]);
  });

  it('rejects its waiters when it is closed', async ({ open }) => {
    const [a, b] = [(await open()).rateLimiter('api', NEVER), (await open()).rateLimiter('api', NEVER)];
    await a.acquireAsync(4);
    const waiting = failureOf(b.acquireAsync());
    await until('it waits', async () => (await a.waiting) === 1);
    await a.close();
    expect(await waiting).toMatchObject({
      code: 'SLUICE_CLOSED',
      message: "RateLimiter 'api' is closed. No permit was taken.",
    });
    expect((await failureOf(a.retryAfter())).code).toBe('SLUICE_CLOSED');
    expect((await failureOf(a.reserve())).code).toBe('SLUICE_CLOSED');
    expect(await b.inspect()).toEqual({
      kind: 'rate-limiter',
      name: 'api',
      state: 'closed',
      permits: 1,
      interval: 1e9,
      burst: 4,
      available: 0,
      waiters: [],
    });
  });
});
