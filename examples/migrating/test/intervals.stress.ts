// A limit with an interval beside p-queue: random calls, as time passes that the test sets, start in the same windows and in the same order.

import { scale, Session } from '@sluice/harness';
import { createLimit } from '@sluice/limit/interval';
import PQueue from 'p-queue';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Lets everything run that is due. Its turns of the event loop are real. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

interface Call {
  readonly name: number;
  /** When it is made, in ms. */
  readonly at: number;
  readonly priority: number;
  /** How long its function runs, in ms. */
  readonly runs: number;
}

interface Played {
  /** Each call in the order of the starts, with its moment. */
  readonly starts: readonly (readonly [name: number, at: number])[];
  /** When calls were made and when functions ended. */
  readonly events: readonly number[];
  /** Whether a call found no other call waiting, after the first moment. */
  readonly wasEmpty: boolean;
}

type Add = (fn: () => Promise<void>, priority: number) => Promise<unknown>;

async function play(calls: readonly Call[], add: Add, waiting: () => number): Promise<Played> {
  const starts: [number, number][] = [];
  const events: number[] = [];
  const ends: Promise<unknown>[] = [];
  const began = performance.now();
  let wasEmpty = false;
  let over = 0;
  const make = ({ name, priority, runs }: Call): void => {
    const run = (): Promise<void> => {
      starts.push([name, performance.now() - began]);
      events.push(performance.now() - began + runs);
      return new Promise((resolve) => setTimeout(resolve, runs));
    };
    ends.push(add(run, priority).then(() => (over += 1)));
  };
  for (const call of calls) {
    if (call.at === 0) make(call);
    else {
      events.push(call.at);
      setTimeout(() => {
        wasEmpty ||= waiting() === 0;
        make(call);
      }, call.at);
    }
  }
  await settle();
  while (over < calls.length) {
    await vi.advanceTimersToNextTimerAsync();
    await settle();
  }
  await Promise.all(ends);
  return { starts, events, wasEmpty };
}

/** Whether a call was made or a function ended in the moment in which an interval ends: then the order of the timers decides. */
function isAmbiguous({ events }: Played, interval: number): boolean {
  return events.some((event) => event % interval === 0);
}

// p-queue 9.3.5 is no oracle for calls that come after its queue was empty: when they have waited for the end of the interval, it begins another one 1 ms
// later, and lets intervalCap more calls start. The test of plain windows in packages/limit has pauses.
test.each([false, true])('p-queue and createLimit start random calls in the same order at the same ms (carryoverIntervalCount: %s)', async (carryoverIntervalCount) => {
  const session = new Session(`intervals beside p-queue, carryover ${carryoverIntervalCount}`);
  const { random } = session;
  const rounds = scale(20);
  let [compared, skipped] = [0, 0];
  while (compared < rounds) {
    // Caps for which a limit counts in whole fractions of a ms: otherwise it may wake a ms later. With a free slot for each call, a limit looks
    // what runs at the moment in which an interval begins, as p-queue does.
    const plan = { concurrency: carryoverIntervalCount ? Infinity : random.pick([2, 5, Infinity]), interval: 997, intervalCap: random.pick([1, 3, 4]), carryoverIntervalCount };
    const calls = Array.from({ length: 15 }, (_, name): Call => ({ name, at: name < 10 ? 0 : 1 + random.below(2000), priority: random.below(3), runs: 1 + random.below(random.pick([50, 1500])) }));
    const queue = new PQueue(plan);
    const theirs = await play(calls, (fn, priority) => queue.add(fn, { priority }), () => queue.size);
    if (theirs.wasEmpty || isAmbiguous(theirs, plan.interval)) {
      skipped += 1;
      continue;
    }
    const limit = createLimit(plan);
    const ours = await play(calls, (fn, priority) => limit.run(fn, { priority }), () => limit.pendingCount);
    expect(ours.starts, `seed ${session.seed}, round ${compared + skipped}: ${JSON.stringify(plan)}`).toEqual(theirs.starts);
    compared += 1;
    limit.free();
  }
  session.done(rounds * 15, `${skipped} rounds left out`);
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
