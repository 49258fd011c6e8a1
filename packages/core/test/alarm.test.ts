import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setAlarm } from '../src/platform/alarm.ts';
import { LONGEST_MS } from '../src/platform/keep-alive.ts';
import { Arena, Semaphore } from '../src/index.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Puts the clock of the platform's timers `lag` ms behind the real clock, so that each timer fires that much early. */
function slowClock(lag: number): void {
  const now = performance.now.bind(performance);
  let began: number | undefined;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    began ??= now();
    return now() - (now() > began ? lag : 0);
  });
}

test('setAlarm() sets a timer again that the platform fired early', () => {
  slowClock(0.7);
  const began = performance.now();
  const rung: number[] = [];
  setAlarm(2.9, () => void rung.push(performance.now() - began), true);
  vi.advanceTimersByTime(3);
  expect(rung).toEqual([]);
  vi.advanceTimersByTime(10);
  expect(rung).toHaveLength(1);
  expect(rung[0]).toBeGreaterThanOrEqual(2.9);
});

test('setAlarm() waits for a fraction of a millisecond, and rings in the next turn for 0', () => {
  const began = performance.now();
  const rung: number[] = [];
  for (const delay of [0, 0.2, 1.001]) setAlarm(delay, () => void rung.push(performance.now() - began), true);
  expect(rung).toEqual([]);
  vi.advanceTimersByTime(2);
  expect(rung.map(Math.ceil)).toEqual([0, 1, 2]);
});

test('setAlarm() rings on time after the longest delay of a timer, and never for Infinity', () => {
  const rung: number[] = [];
  const began = performance.now();
  setAlarm(2 * LONGEST_MS + 5, () => void rung.push(performance.now() - began), true);
  expect(setAlarm(Infinity, () => void rung.push(-1), true)).toBe(undefined);
  vi.advanceTimersByTime(2 * LONGEST_MS + 4);
  expect(rung).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(rung).toEqual([2 * LONGEST_MS + 5]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a stopped alarm does not ring, even if it was set again', () => {
  slowClock(0.7);
  const rung: string[] = [];
  const first = setAlarm(5, () => void rung.push('first'), true);
  first?.stop();
  const second = setAlarm(5, () => void rung.push('second'), false);
  vi.advanceTimersByTime(5);
  second?.stop();
  vi.advanceTimersByTime(100);
  expect(rung).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test('acquireAsync() with a timeout beyond the longest timer times out on time', async () => {
  const sem = Semaphore.create(0, { arena: Arena.create({ maxPages: 4 }) });
  let ended = false;
  const wait = sem.acquireAsync(1, { timeout: LONGEST_MS + 1000 }).catch(() => void (ended = true));
  await vi.advanceTimersByTimeAsync(LONGEST_MS + 999);
  expect(ended).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await wait;
  expect(ended).toBe(true);
});
