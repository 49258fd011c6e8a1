// Tests calls that wait for a session before they wait at the server. The timeout bounds both waits together, and the
// signal ends either.

import { expect, test } from 'vitest';
import { hasCode, type WaitOptions } from '@sluice/core';
import { rejection, until } from '../../../tools/conformance/src/observe.ts';
import type { RemoteEngine } from '../src/engine/engine.ts';
import { Space } from '../src/space.ts';
import type { Timer, Timing } from '../src/engine/timing.ts';

/** A server that opens a session when the test says so and answers nothing else, and a clock that the test advances. */
class Ground implements RemoteEngine, Timing {
  readonly space = new Space({ namespace: 'space', lease: 10_000, label: '', engine: this, timing: this });
  #now = 0;
  #open: () => void = () => undefined;
  readonly #alarms = new Set<{ readonly at: number; readonly ring: () => void }>();

  /** The number of calls that were sent. The first begins the session. */
  calls = 0;

  readonly format = '1';
  readonly retryMs = 50;

  run(): Promise<string[]> {
    this.calls += 1;
    return this.calls === 1 ? Promise.resolve(['attached']) : new Promise(() => undefined);
  }

  otherFormat(): Error {
    return new Error('another format');
  }

  unreachable(cause: unknown): Error {
    return new Error('unreachable', { cause });
  }

  listen(): Promise<{ close: () => void }> {
    return new Promise((resolve) => {
      this.#open = () => resolve({ close: () => undefined });
    });
  }

  close(): void {
    // There is no connection.
  }

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#now;
  }

  after(ms: number, ring: () => void): Timer | undefined {
    if (ms === Infinity) return undefined;
    const alarm = { at: this.#now + ms, ring };
    this.#alarms.add(alarm);
    return { stop: () => void this.#alarms.delete(alarm) };
  }

  /** Lets the connection for messages open. */
  open(): void {
    this.#open();
  }

  get alarms(): number {
    return this.#alarms.size;
  }

  pass(ms: number): void {
    this.#now += ms;
    for (const alarm of [...this.#alarms]) {
      if (alarm.at > this.#now || !this.#alarms.delete(alarm)) continue;
      alarm.ring();
    }
  }
}

/** All calls with options that wait. */
const CALLS: Readonly<Record<string, (space: Space, options: WaitOptions) => Promise<unknown>>> = {
  'semaphore.acquireAsync': (space, options) => space.semaphore('it', 1).acquireAsync(1, options),
  'semaphore.acquireAsync behind a front': (space, options) =>
    space.semaphore('it', 1, { bypass: 4, linger: 10 }).acquireAsync(1, options),
  'mutex.holdAsync': (space, options) => space.mutex('it').holdAsync(options),
  'rwLock.writer.lockAsync': (space, options) => space.rwLock('it').writer.lockAsync(options),
  'limit.run': (space, options) => space.limit('it', 1).run(() => 1, options),
  'limit.run with maxWaiting': (space, options) =>
    space.limit('it', { concurrency: 1, maxWaiting: 1 }).run(() => 1, options),
  'keyedMutex.lockAsync': (space, options) => space.keyedMutex('it').lockAsync('key', options),
  'rateLimiter.acquireAsync': (space, options) =>
    space.rateLimiter('it', { permits: 1, interval: 10 }).acquireAsync(1, options),
  'rateLimiter.reserveAsync': (space, options) =>
    space.rateLimiter('it', { permits: 1, interval: 10 }).reserveAsync(1, options),
  'keyedRateLimiter.acquireAsync': (space, options) =>
    space.keyedRateLimiter('it', { permits: 1, interval: 10 }).acquireAsync('key', 1, options),
  'cache.getAsync': (space, options) => space.cache<number>('it').getAsync('key', () => 1, options),
  'once.runAsync': (space, options) => space.once('it').runAsync(() => Promise.resolve(), options),
  'once.waitAsync': (space, options) => space.once('it').waitAsync(options),
  'lazy.getAsync': (space, options) => space.lazy<number>('it').getAsync(() => Promise.resolve(1), options),
  'countdownLatch.waitAsync': (space, options) => space.countdownLatch('it', 1).waitAsync(options),
  'barrier.waitAsync': (space, options) => space.barrier('it', 2).waitAsync(options),
};

test.each(Object.entries(CALLS))('%s: an abort ends it while the session opens', async (_name, call) => {
  const ground = new Ground();
  const controller = new AbortController();
  const outcome = rejection(call(ground.space, { signal: controller.signal }));
  controller.abort('enough');
  expect(await outcome).toBe('enough');
});

test.each(Object.entries(CALLS))('%s: its timeout runs while the session opens', async (_name, call) => {
  const ground = new Ground();
  const outcome = rejection(call(ground.space, { timeout: 100 }));
  await Promise.resolve();
  ground.pass(100);
  const failure = await outcome;
  expect(hasCode(failure, 'SLUICE_TIMEOUT')).toBe(true);
  expect((failure as Error).message).toContain('100 ms');
  expect(ground.alarms).toBe(0);
});

/** A leaving party asks the server whether the round ended first. */
const ASKS = 'barrier.waitAsync';

test.each(Object.entries(CALLS).filter(([name]) => name !== ASKS))(
  '%s: one timeout bounds the opening of the session and the following wait',
  async (_name, call) => {
    const ground = new Ground();
    const outcome = rejection(call(ground.space, { timeout: 100 }));
    await Promise.resolve();
    ground.pass(60);
    ground.open();
    await until(() => ground.calls === 2, 'The call is at the server');
    ground.pass(40);
    const failure = await outcome;
    expect(hasCode(failure, 'SLUICE_TIMEOUT')).toBe(true);
    expect((failure as Error).message).toContain('100 ms');
  },
);

test('tryGet of a cache ends at its timeout while the session opens, and while the server is asked', async () => {
  const ground = new Ground();
  const tryGet = (): Promise<number | undefined> => ground.space.cache<number>('it').tryGet('key', () => 1, 100);
  const first = tryGet();
  await Promise.resolve();
  ground.pass(100);
  expect(await first).toBe(undefined);
  ground.open();
  const second = tryGet();
  // The first call's look is sent, too, and no call waits for its answer.
  await until(() => ground.calls === 3, 'Both looks are at the server');
  ground.pass(100);
  expect(await second).toBe(undefined);
});
