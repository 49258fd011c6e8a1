// A limit with an interval beside p-queue: random calls, as time passes that the test sets, start in the same windows and in the same order.

import { Session } from '@sluice/harness';
import { createLimit } from '@sluice/limit/interval';
import PQueue from 'p-queue';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Lets everything run that is due. Its turns of the event loop are real. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

interface Start {
  readonly name: number;
  /** In which interval, counted from the first. */
  readonly window: number;
}

interface Call {
  readonly name: number;
  /** When it is made, in ms. */
  readonly at: number;
  readonly priority: number;
  /** How long its function runs, in ms. */
  readonly runs: number;
}

interface Plan {
  readonly concurrency: number;
  readonly interval: number;
  readonly intervalCap: number;
  readonly carryoverIntervalCount: boolean;
}

type Add = (fn: () => Promise<void>, priority: number) => Promise<unknown>;

/** Plays the calls, ms by ms. */
async function play({ interval }: Plan, calls: readonly Call[], add: Add): Promise<Start[]> {
  const starts: Start[] = [];
  const began = performance.now();
  const ends: Promise<unknown>[] = [];
  let waiting = [...calls];
  for (let now = 0; starts.length < calls.length; now++) {
    const due = waiting.filter(({ at }) => at <= now);
    waiting = waiting.filter(({ at }) => at > now);
    for (const { name, priority, runs } of due) {
      const run = (): Promise<void> => {
        starts.push({ name, window: Math.floor((performance.now() - began) / interval) });
        return new Promise((resolve) => setTimeout(resolve, runs));
      };
      ends.push(add(run, priority));
    }
    await settle();
    await vi.advanceTimersByTimeAsync(1);
    await settle();
  }
  await vi.advanceTimersByTimeAsync(1000);
  await settle();
  await vi.advanceTimersByTimeAsync(1000);
  await Promise.all(ends);
  return starts;
}

test.each([false, true])('p-queue and createLimit start calls in the same windows and in the same order (carryoverIntervalCount: %s)', async (carryoverIntervalCount) => {
  const session = new Session(`intervals beside p-queue, carryover ${carryoverIntervalCount}`);
  const { random } = session;
  const rounds = 15;
  let started = 0;
  for (let round = 0; round < rounds; round++) {
    const plan = { concurrency: random.pick([2, 5, Infinity]), interval: 20, intervalCap: random.between(1, 4), carryoverIntervalCount };
    // Calls come and functions end in the middle of an interval: when both happen at its end, the order of timers decides.
    const middle = (): number => plan.interval * random.below(4) + random.between(5, 12);
    const calls = Array.from({ length: 20 }, (_, name): Call => ({ name, at: name < 8 ? 0 : middle(), priority: random.below(3), runs: random.pick([3, 3, 27]) }));
    calls.sort((one, other) => one.at - other.at);
    const queue = new PQueue(plan);
    const theirs = await play(plan, calls, (fn, priority) => queue.add(fn, { priority }));
    const limit = createLimit(plan);
    const ours = await play(plan, calls, (fn, priority) => limit.run(fn, { priority }));
    expect(ours, `seed ${session.seed}, round ${round}: ${JSON.stringify(plan)}`).toEqual(theirs);
    started += ours.length;
    limit.free();
  }
  session.done(rounds * 20, `${started} started`);
});

test('with strict, no more calls start within an interval than its cap, in p-queue and in createLimit', async () => {
  const session = new Session('strict intervals beside p-queue');
  const { random } = session;
  for (let round = 0; round < 10; round++) {
    const plan = { concurrency: Infinity, interval: 20, intervalCap: random.between(1, 4), strict: true };
    const gaps = Array.from({ length: 20 }, () => random.pick([0, 0, 3, 11, 30]));
    const times: number[][] = [[], []];
    const queue = new PQueue(plan);
    const limit = createLimit(plan);
    const calls: Promise<unknown>[] = [];
    for (const gap of gaps) {
      await vi.advanceTimersByTimeAsync(gap);
      calls.push(queue.add(() => times[0]?.push(performance.now())), limit(() => times[1]?.push(performance.now())));
      await settle();
    }
    for (let ms = 0; ms < 500; ms++) {
      await vi.advanceTimersByTimeAsync(1);
      await settle();
    }
    await Promise.all(calls);
    for (const each of times) {
      expect(each).toHaveLength(gaps.length);
      const most = each.map((from) => each.filter((at) => at >= from && at < from + plan.interval).length);
      expect(Math.max(...most)).toBeLessThanOrEqual(plan.intervalCap);
    }
    // A start is noted up to a microsecond late: so the next one may come in the next ms of this clock.
    for (const [index, at] of (times[1] ?? []).entries()) expect(at - (times[0]?.[index] ?? NaN)).toBeLessThanOrEqual(1 + index / plan.intervalCap);
    limit.free();
  }
  session.done(10 * 20);
});
