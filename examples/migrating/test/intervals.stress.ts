// Compares a limit with an interval to p-queue. Random calls start in the same windows and in the same order. The test
// controls the time.

import { scale, Session } from '@sluice/harness';
import { createLimit } from '@sluice/limit';
import PQueue from 'p-queue';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BusyClock, settle } from './busy-clock.ts';

interface Call {
  readonly name: number;
  /** The time of the call, in ms. */
  readonly at: number;
  readonly priority: number;
  /** The duration of its function, in ms. */
  readonly runs: number;
}

interface Played {
  /** Each call with the time of its start, in the order of the starts. */
  readonly starts: readonly (readonly [name: number, at: number])[];
  /** The times at which calls were made and functions ended. */
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

/**
 * Returns whether a call was made or a function ended at the moment at which an interval ends. Then the order of the
 * timers decides.
 */
function isAmbiguous({ events }: Played, interval: number): boolean {
  return events.some((event) => event % interval === 0);
}

describe('calls of a thread that only waits', () => {
  beforeEach(
    () =>
      void vi.useFakeTimers({
        toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
      }),
  );
  afterEach(() => void vi.useRealTimers());

  // p-queue 9.3.5 is no oracle for calls that come after its queue was empty: when they have waited for the end of the
  // interval, it begins another one 1 ms later, and lets intervalCap more calls start. The test of plain windows in
  // packages/limit has pauses.
  test.each([false, true])(
    'p-queue and createLimit() start random calls in the same order at the same ms (carryoverIntervalCount: %s)',
    async (carryoverIntervalCount) => {
      const session = new Session(`intervals beside p-queue, carryover ${carryoverIntervalCount}`);
      const { random } = session;
      const rounds = scale(20);
      let [compared, skipped] = [0, 0];
      while (compared < rounds) {
        // Caps for which a limit counts in whole fractions of a ms: otherwise it may wake a ms later. With a free slot
        // for each call, a limit counts the running functions when an interval begins, as p-queue does.
        const plan = {
          concurrency: carryoverIntervalCount ? Infinity : random.pick([2, 5, Infinity]),
          interval: 997,
          intervalCap: random.pick([1, 3, 4]),
          carryoverIntervalCount,
        };
        const calls = Array.from(
          { length: 15 },
          (_, name): Call => ({
            name,
            at: name < 10 ? 0 : 1 + random.below(2000),
            priority: random.below(3),
            runs: 1 + random.below(random.pick([50, 1500])),
          }),
        );
        const queue = new PQueue(plan);
        const theirs = await play(
          calls,
          (fn, priority) => queue.add(fn, { priority }),
          () => queue.size,
        );
        if (theirs.wasEmpty || isAmbiguous(theirs, plan.interval)) {
          skipped += 1;
          continue;
        }
        const limit = createLimit(plan);
        const ours = await play(
          calls,
          (fn, priority) => limit.run(fn, { priority }),
          () => limit.pendingCount,
        );
        expect(ours.starts, `seed ${session.seed}, round ${compared + skipped}: ${JSON.stringify(plan)}`).toEqual(
          theirs.starts,
        );
        compared += 1;
        limit.free();
      }
      session.done(rounds * 15, `${skipped} rounds left out`);
    },
  );

  test('with strict, at most cap calls start within an interval, in p-queue and in createLimit()', async () => {
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
        calls.push(
          queue.add(() => times[0]?.push(performance.now())),
          limit(() => times[1]?.push(performance.now())),
        );
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
      // A start is recorded up to a microsecond late, so the next one may happen in the next ms of this clock.
      for (const [index, at] of (times[1] ?? []).entries())
        expect(at - (times[0]?.[index] ?? NaN)).toBeLessThanOrEqual(1 + index / plan.intervalCap);
      limit.free();
    }
    session.done(10 * 20);
  });
});

describe('calls and functions that compute', () => {
  let clock: BusyClock;
  beforeEach(() => void (clock = new BusyClock()));
  afterEach(() => clock.restore());

  interface Job {
    /** The times for which the function computes and then waits, in ms. */
    readonly computes: number;
    readonly waits: number;
    /** The time for which the caller computes after the call. */
    readonly after: number;
  }

  /** The start of each function, in order. */
  async function startsOf(
    jobs: readonly Job[],
    add: (fn: () => Promise<void>) => Promise<unknown>,
  ): Promise<readonly (readonly [name: number, at: number])[]> {
    const starts: [number, number][] = [];
    let over = 0;
    const began = clock.now;
    for (const [name, { computes, waits, after }] of jobs.entries()) {
      const run = (): Promise<void> => {
        starts.push([name, clock.now - began]);
        clock.compute(computes);
        return new Promise((resolve) => setTimeout(resolve, waits));
      };
      add(run).then(
        () => (over += 1),
        () => undefined,
      );
      clock.compute(after);
    }
    await settle();
    while (over < jobs.length) await clock.next();
    return starts;
  }

  /** Returns the time at which the thread and a slot were free for the start with this index. */
  function readyAt(
    index: number,
    starts: readonly (readonly [name: number, at: number])[],
    jobs: readonly Job[],
    concurrency: number,
  ): number {
    if (index === 0) return jobs.reduce((sum, { after }) => sum + after, 0);
    const earlier = starts.slice(0, index).map(([name, at]) => {
      const { computes = NaN, waits = NaN } = jobs[name] ?? {};
      return { computed: at + computes, ended: at + computes + waits };
    });
    const idle = earlier.at(-1)?.computed ?? NaN;
    const slot = earlier.map(({ ended }) => ended).sort((a, b) => a - b)[index - concurrency] ?? 0;
    return Math.max(idle, slot);
  }

  /** Returns the maximum number of starts within `ms` ms. */
  const mostIn = (starts: readonly (readonly [number, number])[], ms: number): number =>
    Math.max(...starts.map(([, from]) => starts.filter(([, at]) => at >= from && at < from + ms).length));

  test.each([true, false])(
    'start in the same order, and at most cap of them per interval, in p-queue and in createLimit() (strict: %s)',
    async (strict) => {
      const session = new Session(`computing callers beside p-queue, strict ${strict}`);
      const { random } = session;
      const rounds = scale(40);
      for (let round = 0; round < rounds; round++) {
        const interval = 100;
        const plan = {
          concurrency: random.pick([1, 3, Infinity]),
          interval,
          intervalCap: random.pick([1, 2, 5]),
          strict,
        };
        const long = random.pick([10, 60, 250]);
        const jobs = Array.from(
          { length: 20 },
          (): Job => ({
            computes: random.pick([0, 0, random.below(long)]),
            waits: 1 + random.below(long),
            after: random.pick([0, 0, random.below(long)]),
          }),
        );
        const queue = new PQueue(plan);
        // Our functions never run inside the call, so p-queue's do not either.
        const theirs = await startsOf(jobs, (fn) => Promise.resolve().then(() => queue.add(fn)));
        const limit = createLimit(plan);
        const ours = await startsOf(jobs, (fn) => limit(fn));
        const what = `seed ${session.seed}, round ${round}: ${JSON.stringify(plan)}`;
        expect(
          ours.map(([name]) => name),
          what,
        ).toEqual(theirs.map(([name]) => name));
        // The limit rounds the time of a start by less than 1 ms. Fixed windows allow twice the cap at the end of one
        // and the beginning of the next.
        if (strict) expect(mostIn(ours, interval - 1), what).toBeLessThanOrEqual(plan.intervalCap);
        else expect(mostIn(ours, interval - 1), what).toBeLessThanOrEqual(2 * plan.intervalCap);
        for (let intervals = 2; intervals < 6; intervals++) {
          expect(mostIn(ours, intervals * interval - 1), what).toBeLessThanOrEqual(
            (strict ? intervals : intervals + 1) * plan.intervalCap,
          );
        }
        // p-queue may start one call more in a window that ends while a function computes, so its times are no bound.
        for (const [index, [, at]] of ours.entries()) {
          if (at <= readyAt(index, ours, jobs, plan.concurrency) + 2) continue;
          // The call waited for the interval, which was full.
          const before = ours.filter(([, other], place) => place < index && other >= at - interval - 2);
          expect(before.length, `${what}, start ${index}`).toBeGreaterThanOrEqual(plan.intervalCap);
        }
        limit.free();
      }
      session.done(rounds * 20);
    },
  );
});
