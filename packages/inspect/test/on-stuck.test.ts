// Tests `onStuck` on a clock of the test.

import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Arena, Semaphore } from '../../core/src/index.ts';
import { Mutex } from '../../mutex/src/index.ts';
import { onStuck, type StuckReport, type StuckWatch } from '../src/index.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'], now: 1_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

function newArena(): Arena {
  return Arena.create({ maxPages: 16 });
}

/** Watches an arena, and returns the reports. */
function reportsOf(arena: Arena, ms: number): StuckReport[] {
  const reports: StuckReport[] = [];
  onStuck(arena, ms, (report) => reports.push(report));
  return reports;
}

test('the listener is called once for a wait, within 250 ms of the limit, with the wait and the report', async () => {
  const arena = newArena();
  const reports = reportsOf(arena, 5000);
  vi.advanceTimersByTime(1700);
  const jobs = Semaphore.create(0, { arena, name: 'jobs' });
  const wait = jobs.acquireAsync();
  vi.advanceTimersByTime(4999);
  expect(reports).toEqual([]);
  vi.advanceTimersByTime(251);
  expect(reports).toHaveLength(1);
  const [report] = reports;
  expect(report?.waits).toMatchObject([
    {
      agent: arena.agentId,
      title: expect.stringMatching(/^agent 1 \(/) as string,
      how: 'async',
      waitsFor: { kind: 'semaphore', name: 'jobs' },
      since: 1_001_700,
    },
  ]);
  expect(report?.waits[0]?.age).toBeGreaterThanOrEqual(5000);
  expect(report?.waits[0]?.age).toBeLessThanOrEqual(5250);
  expect(report?.text).toContain("semaphore 'jobs': async wait, for 5.");
  vi.advanceTimersByTime(60_000);
  expect(reports).toHaveLength(1);
  jobs.release();
  await wait;
});

test('a second wait has a report of its own, without the first one', async () => {
  const arena = newArena();
  const reports = reportsOf(arena, 1000);
  const [one, other] = [Semaphore.create(0, { arena, name: 'one' }), Mutex.create({ arena, name: 'other' })];
  other.lock();
  const waits: Promise<unknown>[] = [one.acquireAsync()];
  vi.advanceTimersByTime(500);
  waits.push(other.lockAsync());
  vi.advanceTimersByTime(5000);
  expect(reports.map((report) => report.waits.map(({ waitsFor }) => waitsFor.name))).toEqual([['one'], ['other']]);
  one.release();
  other.unlock();
  await Promise.all(waits);
  other.unlock();
});

test('waits that are too old when the watch begins are in its first report', async () => {
  const arena = newArena();
  const jobs = Semaphore.create(0, { arena });
  const waits = [jobs.acquireAsync(), jobs.acquireAsync()];
  vi.advanceTimersByTime(2000);
  const reports = reportsOf(arena, 1000);
  expect(reports).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(reports.map(({ waits: found }) => found.length)).toEqual([2]);
  jobs.release(2);
  await Promise.all(waits);
});

test('stop, and the end of a `using` block, end the calls and leave no timer', async () => {
  const arena = newArena();
  const jobs = Semaphore.create(0, { arena });
  const wait = jobs.acquireAsync();
  const timers = vi.getTimerCount();
  const listener = vi.fn();
  onStuck(arena, 1000, listener).stop();
  {
    using watch = onStuck(arena, 1000, listener);
    expect(inspect(watch)).toBe('StuckWatch { stopped: false }');
    expect(vi.getTimerCount()).toBe(timers + 1);
  }
  expect(vi.getTimerCount()).toBe(timers);
  vi.advanceTimersByTime(10_000);
  expect(listener).not.toHaveBeenCalled();
  jobs.release();
  await wait;
});

test('the listener may stop the watch', async () => {
  const arena = newArena();
  const jobs = Semaphore.create(0, { arena });
  const waits = [jobs.acquireAsync()];
  let calls = 0;
  const watch: StuckWatch = onStuck(arena, 1000, () => {
    calls += 1;
    watch.stop();
  });
  vi.advanceTimersByTime(500);
  waits.push(jobs.acquireAsync());
  vi.advanceTimersByTime(10_000);
  expect(calls).toBe(1);
  jobs.release(2);
  await Promise.all(waits);
});

test('an error of the listener leaves the timer, and the watch continues', async () => {
  const arena = newArena();
  const jobs = Semaphore.create(0, { arena });
  const waits = [jobs.acquireAsync()];
  let calls = 0;
  onStuck(arena, 1000, () => {
    calls += 1;
    throw new Error('of the listener');
  });
  expect(() => vi.advanceTimersByTime(1200)).toThrow('of the listener');
  waits.push(jobs.acquireAsync());
  expect(() => vi.advanceTimersByTime(1200)).toThrow('of the listener');
  expect(calls).toBe(2);
  jobs.release(2);
  await Promise.all(waits);
});

test('the watch ends when the agent leaves the arena', () => {
  const arena = newArena();
  const timers = vi.getTimerCount();
  const reports = reportsOf(arena, 1000);
  arena.leave();
  vi.advanceTimersByTime(10_000);
  expect(reports).toEqual([]);
  expect(vi.getTimerCount()).toBe(timers);
  expect(() => onStuck(arena, 1000, () => undefined)).toThrow(/left/);
});

function ignore(): void {
  // Is never called.
}

test.each([
  [7, 1000, ignore, TypeError, 'The arena'],
  [undefined, 0, ignore, RangeError, 'ms must be a whole number'],
  [undefined, 2 ** 31, ignore, RangeError, 'ms must be a whole number'],
  [undefined, '5', ignore, TypeError, 'ms must be a number'],
  [undefined, 1000, 'log', TypeError, 'The callback must be a function'],
])('onStuck(%o, %o, %o) throws and watches nothing', (arena, ms, listener, error, message) => {
  const timers = vi.getTimerCount();
  const call = (): unknown => onStuck(arena as never, ms as never, listener as never);
  expect(call).toThrow(error);
  expect(call).toThrow(message);
  expect(vi.getTimerCount()).toBe(timers);
});
