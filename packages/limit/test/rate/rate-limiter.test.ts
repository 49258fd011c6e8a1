// The promises of a rate limiter to agents of one thread.

import { Arena } from '@sluice/core';
import { describe, expect, test, vi } from 'vitest';
import { contextOf } from '../../../core/src/arena/arena.ts';
import { engineNamed } from '../../../core/test/support/engines.ts';
import { RateLimiter, type RateLimiterOptions } from '../../src/index.ts';
import { openAs } from '../../../core/test/support/second-agent.ts';
import { openWithClock } from '../../src/rate/rate-limiter.ts';
import { asOf, attachAs, expectAtRest, secondAgentOf } from './support/agents.ts';
import { byHand } from './support/clocks.ts';
import './support/kernel.ts';

const PLACES = (['wasm', 'js'] as const).flatMap((engine) =>
  [1, 256].map((buckets) => ({ name: `${engine}, buckets: ${buckets}`, engine, buckets })),
);
const turns = (): Promise<void> => new Promise((later) => setImmediate(later));

/** Returns the codes of the errors with which the calls rejected, or an error without a code itself. */
async function codeOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    (value) => value,
    (failure: unknown) => (failure as { readonly code?: string }).code ?? failure,
  );
}

describe.each(PLACES)('RateLimiter ($name)', ({ engine, buckets }) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16, policy: { buckets } });
  const other = secondAgentOf(arena);
  /** A rate so low that no permit comes during a test. */
  const slow = { interval: 1e9, arena };
  /** A rate so high that permits come at once: 1 per ms. */
  const quick = { permits: 1, interval: 1, arena };

  function pairOf(options: RateLimiterOptions): readonly [RateLimiter, RateLimiter] {
    const ours = RateLimiter.create(options);
    return [ours, attachAs(other, ours.handle)];
  }

  test('tryAcquire() takes a burst at once, over all agents, and then the permits that the rate gives', () => {
    const { limiter, clock } = byHand({ permits: 2, interval: 1000, burst: 3, arena });
    expect([limiter.tryAcquire(2), limiter.tryAcquire(2), limiter.tryAcquire(), limiter.tryAcquire()]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    clock.pass(499);
    expect([limiter.tryAcquire(), limiter.available, limiter.retryAfter(), limiter.retryAfter(3)]).toEqual([
      false,
      0,
      1,
      1001,
    ]);
    clock.pass(1);
    expect([limiter.available, limiter.retryAfter(), limiter.tryAcquire(), limiter.tryAcquire()]).toEqual([
      1,
      0,
      true,
      false,
    ]);
    // No more than a burst accumulates.
    clock.pass(1e6);
    expect([limiter.available, limiter.tryAcquire(3), limiter.tryAcquire()]).toEqual([3, true, false]);
    limiter.free();
  });

  test('agents share the permits of a limiter', () => {
    const [ours, theirs] = pairOf({ ...slow, permits: 3 });
    expect([ours.tryAcquire(), theirs.tryAcquire(), ours.tryAcquire(), theirs.tryAcquire(), ours.tryAcquire()]).toEqual(
      [true, true, true, false, false],
    );
    expect([theirs.permits, theirs.interval, theirs.burst]).toEqual([3, 1e9, 3]);
    ours.free();
  });

  test('acquire() blocks until the permits have come', () => {
    const limiter = RateLimiter.create({ ...quick, burst: 2 });
    const start = performance.now();
    for (let call = 0; call < 12; call++) limiter.acquire();
    limiter.acquire(2);
    // 14 permits, of which 2 are there at the start. The limiter may round its start down to a whole ms.
    expect(performance.now() - start).toBeGreaterThan(10.9);
    expectAtRest(limiter);
  });

  test('acquireAsync() resolves in the order of the calls, whatever their weights', async () => {
    const limiter = RateLimiter.create({ ...quick, burst: 3 });
    const order: number[] = [];
    await Promise.all(
      [3, 1, 3, 2, 1, 1, 3].map((weight, call) => limiter.acquireAsync(weight).then(() => order.push(call))),
    );
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6]);
    // None of them blocks a later blocking call.
    limiter.acquire(3);
    limiter.acquire(3);
    expectAtRest(limiter);
  });

  test('no later call overtakes a waiting call, even if it could be served at once', async () => {
    const [ours, theirs] = pairOf({ ...slow, permits: 3 });
    ours.acquire(2);
    const leave = new AbortController();
    const wait = codeOf(ours.acquireAsync(3, { signal: leave.signal }));
    await turns();
    expect([theirs.tryAcquire(), ours.tryAcquire(), theirs.available, theirs.waiting]).toEqual([false, false, 0, 1]);
    leave.abort('gave up');
    expect(await wait).toBe('gave up');
    expect([theirs.available, theirs.tryAcquire(), theirs.tryAcquire()]).toEqual([1, true, false]);
    expectAtRest(ours);
  });

  test('a call that is cancelled at the head or behind it delays no other call', async () => {
    const [ours, theirs] = pairOf({ ...slow, permits: 3 });
    ours.acquire(1);
    const [first, third] = [new AbortController(), new AbortController()];
    const waits = [
      ours.acquireAsync(3, { signal: first.signal }),
      theirs.acquireAsync(1),
      ours.acquireAsync(3, { signal: third.signal }),
      theirs.acquireAsync(1),
    ].map(codeOf);
    await turns();
    expect(ours.inspect().waiters).toHaveLength(3);
    third.abort('third');
    first.abort('first');
    expect(await Promise.all(waits)).toEqual(['first', undefined, 'third', undefined]);
    expectAtRest(ours);
  });

  test('a call whose permits come after its timeout times out at the head, and not before', async () => {
    const [ours, theirs] = pairOf({ ...slow, permits: 2 });
    ours.acquire(2);
    expect([
      ours.tryAcquire(1, 50),
      await codeOf(theirs.acquireAsync(1, { timeout: 1e6 })),
      await codeOf(theirs.acquireAsync(1, { timeout: 0 })),
    ]).toEqual([false, 'SLUICE_TIMEOUT', 'SLUICE_TIMEOUT']);
    expect(() => ours.acquire(1, { timeout: 5 })).toThrow(
      /^RateLimiter .* gave no permit within 5 ms: 0 of 2 available\. No permit was taken\.$/,
    );
    // Behind another call it waits for its timeout.
    const leave = new AbortController();
    const head = codeOf(ours.acquireAsync(1, { signal: leave.signal }));
    expect([theirs.tryAcquire(1, 5), await codeOf(theirs.acquireAsync(1, { timeout: 5 }))]).toEqual([
      false,
      'SLUICE_TIMEOUT',
    ]);
    leave.abort();
    await head;
    expectAtRest(ours);
  });

  test('a blocking call behind an async call of its own agent throws a DeadlockError, at the head and behind it', async () => {
    const limiter = RateLimiter.create({ ...slow, permits: 1 });
    limiter.acquire();
    const leave = new AbortController();
    const waits = [1, 2].map(() => codeOf(limiter.acquireAsync(1, { signal: leave.signal })));
    await turns();
    for (const call of [() => limiter.acquire(), () => limiter.reserve(), () => limiter.tryAcquire(1, Infinity)]) {
      expect(call).toThrow('the call would block this agent behind 2 async waits of its own');
    }
    expect(limiter.tryAcquire(1, 5)).toBe(false);
    leave.abort();
    await Promise.all(waits);
    expectAtRest(limiter);
  });

  test('a blocking call throws at every moment at which an async call of its agent moves from the line to the head', async () => {
    const limiter = RateLimiter.create({ ...slow, permits: 1 });
    limiter.acquire();
    const [first, second] = [new AbortController(), new AbortController()];
    const waits = [first, second].map(({ signal }) => codeOf(limiter.acquireAsync(1, { signal })));
    await turns();
    first.abort();
    for (let job = 0; job < 40; job++) {
      expect(() => limiter.acquire()).toThrow(expect.objectContaining({ code: 'SLUICE_DEADLOCK' }));
      await Promise.resolve();
    }
    second.abort();
    await Promise.all(waits);
    expectAtRest(limiter);
  });

  test('reserve() books the next time, and cancel() returns the booking unless a later one depends on it', () => {
    const { limiter, clock } = byHand({ permits: 1, interval: 1000, burst: 2, arena });
    expect([limiter.reserve(2).delay, limiter.tryAcquire()]).toEqual([0, false]);
    const [first, second] = [limiter.reserve(2), limiter.reserve()];
    expect([first.delay, second.delay, first.weight, limiter.retryAfter()]).toEqual([2000, 3000, 2, 4000]);
    clock.pass(500);
    expect([first.remaining, first.cancel(), second.remaining]).toEqual([1500, false, 2500]);
    expect([second.cancel(), second.cancel(), limiter.retryAfter(), first.cancel(), limiter.retryAfter()]).toEqual([
      true,
      false,
      2500,
      true,
      500,
    ]);
    const last = limiter.reserve();
    limiter.free();
    // Another primitive may use its memory now.
    for (const call of [() => last.remaining, () => last.cancel()])
      expect(call).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }));
  });

  test('cancel() has no effect after the time of the booking has come', () => {
    const { limiter, clock } = byHand({ permits: 1, interval: 1000, burst: 1, arena });
    const now = limiter.reserve();
    expect([now.remaining, now.cancel(), limiter.retryAfter()]).toEqual([0, false, 1000]);
    const later = limiter.reserve();
    clock.pass(999);
    expect(later.remaining).toBe(1);
    clock.pass(1);
    // A caller that acts at that time has used the permit.
    expect([later.remaining, later.cancel(), limiter.tryAcquire(), limiter.retryAfter()]).toEqual([
      0,
      false,
      false,
      1000,
    ]);
    const cancelled = limiter.reserve();
    clock.pass(999);
    expect([cancelled.cancel(), limiter.retryAfter()]).toEqual([true, 1]);
    limiter.free();
  });

  test('reserve() throws a RangeError for a time beyond exact numbers, and books nothing', async () => {
    const year = 365 * 24 * 3600 * 1000;
    const { limiter } = byHand({ permits: 1, interval: year, burst: 1, arena });
    const booked = [];
    for (let years = 0; years < 17; years++) booked.push(limiter.reserve());
    const before = limiter.retryAfter();
    expect(() => limiter.reserve()).toThrow(RangeError);
    await expect(limiter.reserveAsync()).rejects.toThrow('No permit was booked.');
    expect([limiter.retryAfter(), booked.at(-1)?.delay]).toEqual([before, 16 * year]);
    expect([booked.at(-1)?.cancel(), limiter.reserve().delay]).toEqual([true, 16 * year]);
    limiter.free();
  });

  test('reserve() overtakes no waiting call, and cancel() wakes the call at the head', async () => {
    // Its timers would end after days, because the test's clock does not drive them.
    const { limiter: ours, clock } = byHand({ ...slow, permits: 2 });
    const theirs = openAs(other, ours.handle.line, () => openWithClock(asOf(other.id, ours.handle), clock.read));
    ours.acquire(2);
    const booked = ours.reserve(2);
    const wait = theirs.acquireAsync();
    const behind = ours.reserveAsync();
    await turns();
    expect(ours.inspect()).toMatchObject({ head: contextOf(theirs.arena).id, waiters: [{ kind: 'async' }] });
    clock.pass(0.9e9);
    expect(booked.cancel()).toBe(true);
    await wait;
    expect((await behind).delay).toBe(0.1e9);
    expect(theirs.tryAcquire()).toBe(false);
    expectAtRest(ours);
  });

  test('run() and runAsync() take their permits first, and return the result of the function', async () => {
    const limiter = RateLimiter.create({ ...slow, permits: 3 });
    expect([limiter.run(() => 1), await limiter.runAsync(() => Promise.resolve(2), 2)]).toEqual([1, 2]);
    const [ran, late] = [{ count: 0 }, { timeout: 5 }];
    const count = (): number => ++ran.count;
    expect(() => limiter.run(count, 1, late)).toThrow('within 5 ms');
    expect([await codeOf(limiter.runAsync(count, 1, late)), ran.count]).toEqual(['SLUICE_TIMEOUT', 0]);
    limiter.free();
  });

  // Fails if the call lets the event loop turn before it handles the promise: then Node.js reports a rejection that the
  // program handles, and exits.
  test('runAsync() reports no unhandled rejection if its body rejects after a wait with the budget used up', async () => {
    const { limiter, clock } = byHand({ permits: 1, interval: 1, arena });
    expect(limiter.tryAcquire()).toBe(true);
    const { budget } = contextOf(arena);
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const spend = vi.spyOn(budget, 'spend');
    const call = limiter.runAsync(async () => {
      spend.mockImplementation(async () => {
        for (let n = 0; n < 5; n++) await turns();
      });
      await Promise.resolve();
      throw new Error('failed');
    });
    await turns();
    expect(limiter.waiting).toBe(1);
    clock.pass(2);
    await expect(call).rejects.toThrow('failed');
    spend.mockRestore();
    await turns();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
    limiter.free();
  });

  test('runAsync() takes its permits right before the function, and not at the call', async () => {
    const { limiter, clock } = byHand({ permits: 1, interval: 100, burst: 1, arena });
    const started: number[] = [];
    const leave = new AbortController();
    const calls = [1, 2, 3, 4, 5].map(() => {
      const call = limiter.runAsync(() => started.push(clock.now), 1, { signal: leave.signal });
      // The code that makes the calls computes for an interval.
      clock.pass(100);
      return codeOf(call);
    });
    await turns();
    expect(started).toEqual([clock.now]);
    leave.abort('enough');
    expect(await Promise.all(calls)).toEqual([1, 'enough', 'enough', 'enough', 'enough']);
    // It takes no permits when the call reaches the head either: the function runs right after the permits are taken.
    clock.pass(100);
    const [first, second] = [limiter.runAsync(() => limiter.available), limiter.runAsync(() => limiter.available)].map(
      codeOf,
    );
    expect(await first).toBe(0);
    clock.pass(100);
    expect(await second).toBe(0);
    expectAtRest(limiter);
  });

  test('a call that is aborted before its function runs takes nothing', async () => {
    const limiter = RateLimiter.create({ ...slow, permits: 1 });
    const leave = new AbortController();
    const call = codeOf(limiter.runAsync(() => 'ran', 1, { signal: leave.signal }));
    leave.abort('never mind');
    expect([await call, limiter.available]).toEqual(['never mind', 1]);
    limiter.free();
  });

  test('free() succeeds right after the only waiter is aborted, at the head and behind it', async () => {
    for (const call of ['acquireAsync', 'reserveAsync'] as const) {
      for (const waits of [0, 1, 2, 3]) {
        const limiter = RateLimiter.create({ ...slow, permits: 1 });
        limiter.acquire();
        // A booking waits behind a waiting call.
        const [head, leave] = [new AbortController(), new AbortController()];
        const before = call === 'reserveAsync' ? codeOf(limiter.acquireAsync(1, { signal: head.signal })) : undefined;
        const wait = codeOf(limiter[call](1, { signal: leave.signal }));
        for (let turn = 0; turn < waits; turn++) await turns();
        leave.abort('gave up');
        head.abort('first');
        limiter.free();
        expect([await before, await wait]).toEqual([before === undefined ? undefined : 'first', 'gave up']);
      }
    }
  });

  test('close() ends all waits, and free() succeeds after the calls have ended', async () => {
    const [ours, theirs] = pairOf({ ...slow, permits: 1, name: 'api' });
    ours.acquire();
    const waits = [ours.acquireAsync(), theirs.acquireAsync(), ours.reserveAsync()].map(codeOf);
    await turns();
    expect(() => ours.free()).toThrow(`RateLimiter 'api' is in use and cannot be freed: 0 of 1 available, preceded by`);
    theirs.close();
    expect(await Promise.all(waits)).toEqual(['SLUICE_CLOSED', 'SLUICE_CLOSED', 'SLUICE_CLOSED']);
    for (const call of [
      () => ours.tryAcquire(),
      () => theirs.acquire(),
      () => ours.reserve(),
      () => ours.retryAfter(),
    ]) {
      expect(call).toThrow("RateLimiter 'api' is closed. No permit was taken.");
    }
    expect([ours.available, ours.inspect().state, String(ours)]).toEqual([0, 'closed', "RateLimiter 'api'"]);
    ours.close();
    const blocks = (): number => arena.inspect().blocks.filter(({ kind }) => kind !== 'free').length;
    const before = blocks();
    ours.free();
    expect(blocks()).toBe(before - 3);
    for (const call of [() => ours.tryAcquire(), () => theirs.available, () => ours.inspect(), () => ours.free()])
      expect(call).toThrow("The rate limiter 'api' was freed");
  });

  test('inspect() and console.log show the available permits and the waiting calls', async () => {
    const limiter = RateLimiter.create({ ...slow, permits: 4, burst: 2, name: 'api' });
    expect(limiter.inspect()).toEqual({
      kind: 'rate-limiter',
      name: 'api',
      state: 'open',
      permits: 4,
      interval: 1e9,
      burst: 2,
      available: 2,
      waiters: [],
      abandoned: 0,
    });
    limiter.acquire(2);
    const leave = new AbortController();
    const waits = [1, 2].map(() => codeOf(limiter.acquireAsync(1, { signal: leave.signal })));
    await turns();
    const self = contextOf(arena).id;
    expect(limiter.inspect()).toMatchObject({ available: 0, head: self, waiters: [{ agent: self, kind: 'async' }] });
    // Two calls of one permit each, and this one.
    const ms = limiter.retryAfter();
    expect([ms > 740_000_000, ms <= 750_000_000]).toEqual([true, true]);
    const { inspect } = await import('node:util');
    expect(inspect(limiter)).toBe(
      "RateLimiter { name: 'api', permits: 4, interval: 1000000000, burst: 2, available: 0, waiting: 2 }",
    );
    leave.abort();
    await Promise.all(waits);
    limiter.free();
  });
});
