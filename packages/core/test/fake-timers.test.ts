// Tests timeouts and waits while fake timers replace the timers of the platform.

import { afterEach, expect, test, vi } from 'vitest';
import { now } from '../src/platform/clock.ts';
import { Semaphore } from '../src/index.ts';
import { threadClock } from '../src/platform/thread-clock.ts';
import { runChild } from './support/child.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

type Faked = NonNullable<Parameters<typeof vi.useFakeTimers>[0]>['toFake'];

const TIMERS: NonNullable<Faked> = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'];

/** The sets of faked functions, with the clock and without it. */
const WITH_TIMERS: readonly (readonly [string, Faked])[] = [
  ['timers and the clock', [...TIMERS, 'performance', 'Date']],
  ['timers alone', TIMERS],
  ['everything that Vitest fakes', undefined],
];

test.each(WITH_TIMERS)('an async wait times out at its tick with fakes of %s', async (_, toFake) => {
  // Stop the real clock for this test. It may show any time before the end of a timeout.
  if (toFake === TIMERS) vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  vi.useFakeTimers(toFake === undefined ? {} : { toFake });
  const permits = Semaphore.create(0);
  for (const timeout of [2, 100, 3_600_000]) {
    let ended = false;
    const wait = permits.acquireAsync(1, { timeout }).catch((failure: unknown) => {
      ended = true;
      return (failure as Error).name;
    });
    await vi.advanceTimersByTimeAsync(timeout - 1);
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await wait).toBe('TimeoutError');
  }
});

test.each([...WITH_TIMERS, ['the clock alone', ['performance']] as const])(
  'a blocking wait times out by itself with fakes of %s',
  (_, toFake) => {
    vi.useFakeTimers(toFake === undefined ? {} : { toFake: [...toFake] });
    // With 1000 the waiter spins.
    for (const spinMicros of [0, 1000]) {
      const permits = Semaphore.create(0, { policy: { spinMicros, longTermThreshold: 1 } });
      expect(permits.tryAcquire(1, 5)).toBe(false);
    }
  },
);

test('an async wait is granted without a tick of the fake timers', async () => {
  vi.useFakeTimers();
  const permits = Semaphore.create(0);
  const waits = Array.from({ length: 1000 }, () => permits.acquireAsync());
  permits.release(1000);
  await Promise.all(waits);
  expect(vi.getTimerCount()).toBe(0);
});

test('now() advances by the delay of a timer that fired while the clock stands still', async () => {
  vi.useFakeTimers({ toFake: TIMERS });
  vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  const began = now();
  expect(now()).toBe(began);
  const wait = Semaphore.create(0)
    .acquireAsync(1, { timeout: 50 })
    .catch(() => undefined);
  await vi.advanceTimersByTimeAsync(50);
  await wait;
  expect(now() - began).toBeCloseTo(50);
});

test('threadClock() returns a time since 1970 with fake timers, before and after them', () => {
  const clock = threadClock();
  const near = (): boolean => Math.abs(clock() - Date.now()) < 24 * 3_600_000;
  const before = near();
  vi.useFakeTimers();
  const within = near();
  vi.useRealTimers();
  expect([before, within, near()]).toEqual([true, true, true]);
});

test('after a wait with fake timers, later waits still keep the process alive', async () => {
  expect(await runChild('fake-timers.mjs')).toEqual({
    code: 0,
    printed: expect.stringContaining('TimeoutError\ngranted') as string,
  });
});
