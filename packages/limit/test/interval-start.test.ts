// The start of a call is counted right before its function runs, even if its thread computes after the call was made.

import { Arena } from '@sluice/core';
import { contextOf } from '@sluice/core/internal';
import { describe, expect, test, vi } from 'vitest';
import { createLimit, type Limit, type LimitHandle, type LimitReport } from '../src/index.ts';
import { createIntervalLimit, openIntervalLimit } from '../src/interval/open-interval.ts';
import { turns } from './support/gate.ts';
import { byHand, HandClock, withOwnClock } from './support/interval.ts';

const arena = Arena.create({ maxPages: 64, policy: { buckets: 8 } });

const MODES = [{ strict: false }, { strict: true }, { carryoverIntervalCount: true }] as const;
/** The clock stands still until a test moves it, so no interval ends by its timer. */
const DAY = 86_400_000;

const outcomeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (value) => value,
    (failure: unknown) => (failure as { readonly code?: string }).code ?? failure,
  );

describe.each(MODES)('the start of a call (%j)', (mode) => {
  test('a start is counted when its function runs, if the caller computes for an interval after each call', async () => {
    const { limit, clock } = byHand({ interval: DAY, intervalCap: 1, arena, ...mode });
    const started: number[] = [];
    const leave = new AbortController();
    const calls = [1, 2, 3, 4, 5].map(() => {
      const call = limit.run(() => started.push(clock.now), { signal: leave.signal });
      clock.pass(DAY);
      return outcomeOf(call);
    });
    await turns();
    expect([started, limit.activeCount, limit.pendingCount, limit.inspect().interval?.startCount]).toEqual([
      [clock.now],
      0,
      4,
      1,
    ]);
    leave.abort('enough');
    expect(await Promise.all(calls)).toEqual([1, 'enough', 'enough', 'enough', 'enough']);
    limit.free();
  });

  test('a start is counted when its function runs, if each function computes for longer than an interval', async () => {
    const { limit, clock } = byHand({ interval: 1, intervalCap: 2, concurrency: 1, arena, ...mode });
    const started: number[] = [];
    const work = (): void => {
      started.push(clock.now);
      clock.pass(1.5);
    };
    await limit.map([1, 2, 3, 4, 5, 6], work);
    // Each function computes for longer than an interval, so no interval has more than one.
    expect(started.map((at, index) => at - (started[index - 1] ?? at - 1.5))).toEqual([1.5, 1.5, 1.5, 1.5, 1.5, 1.5]);
    limit.free();
  });
});

test('calls whose start was refused keep their order when the interval opens', async () => {
  const { limit, clock } = byHand({ interval: 1, intervalCap: 2, arena });
  const began: string[] = [];
  const note = (name: string): void => void began.push(name);
  const calls = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name, index) =>
    limit.run(note, { args: [name], priority: index === 5 ? 1 : 0 }),
  );
  await turns();
  for (let count = 4; count <= 8; count += 2) {
    // Called after the others, and before any of them could start again.
    if (count === 4) calls.push(limit(note, 'later'));
    clock.pass(1);
    while (began.length < count) await turns();
    expect(began).toHaveLength(count);
  }
  await Promise.all(calls);
  expect(began.join(' ')).toBe('a b f c d e g later');
  limit.free();
});

// Fails if a later call counts first: it is made while the first call lets the event loop turn.
test('a call that lets the event loop turn before its function starts before all later calls', async () => {
  const { limit, clock } = byHand({ interval: 1, intervalCap: 3, concurrency: 4, arena });
  const began: string[] = [];
  const note = (name: string): void => void began.push(name);
  await limit.map(['a', 'b', 'c'], note);
  const waiting = limit.map(['d', 'e'], note);
  await turns();
  expect(limit.pendingCount).toBe(2);
  const later: Promise<unknown>[] = [];
  let turn: (() => void) | undefined;
  const nextTurn = new Promise<void>((resolve) => (turn = resolve));
  let spent = 0;
  const spend = vi.spyOn(contextOf(arena).budget, 'spend').mockImplementation(() => {
    spent += 1;
    if (spent !== 2) return undefined;
    // The budget is used up when the second call has its slot. The interval has a start for one more call.
    later.push(limit(note, 'later'), limit(note, 'last'));
    return nextTurn;
  });
  clock.pass(1);
  while (spent < 2) await turns();
  await turns();
  expect(began).toEqual(['a', 'b', 'c', 'd']);
  turn?.();
  spend.mockRestore();
  await waiting;
  while (began.length < 7) {
    clock.pass(1);
    await turns();
  }
  await Promise.all(later);
  expect(began).toEqual(['a', 'b', 'c', 'd', 'e', 'later', 'last']);
  limit.free();
});

describe('a call that has its slot and whose start is refused', () => {
  const full = (options: object = {}): ReturnType<typeof byHand> =>
    byHand({ interval: DAY, intervalCap: 1, arena, rejectOnClear: true, ...options });

  test('rejects if it was aborted, timed out or cleared in between', async () => {
    const { limit } = full();
    const leave = new AbortController();
    const first = limit(() => 'first');
    const calls = [
      limit.run(() => 'aborted', { signal: leave.signal }),
      limit.run(() => 'late', { timeout: 0 }),
      limit(() => 'cleared'),
    ].map(outcomeOf);
    leave.abort('gave up');
    limit.clearQueue();
    expect(await first).toBe('first');
    // clearQueue() dropped all of them, as it drops waiting calls.
    expect(await Promise.all(calls)).toEqual([DOMException.ABORT_ERR, DOMException.ABORT_ERR, DOMException.ABORT_ERR]);
    const again = new AbortController();
    const two = [limit.run(() => 'aborted', { signal: again.signal }), limit.run(() => 'late', { timeout: 0 })].map(
      outcomeOf,
    );
    again.abort('gave up');
    expect(await Promise.all(two)).toEqual(['gave up', 'SLUICE_TIMEOUT']);
    expect(limit.inspect()).toMatchObject({ activeCount: 0, pendingCount: 0, waiters: [] });
    limit.free();
  });

  test('never settles if it was cleared without rejectOnClear, and leaves no slot behind', async () => {
    const { limit } = full({ rejectOnClear: false, concurrency: 2 });
    const first = limit(() => 'first');
    let hasSettled = false;
    const settle = (): void => void (hasSettled = true);
    limit(() => 'dropped').then(settle, settle);
    limit.clearQueue();
    await first;
    await turns();
    expect([hasSettled, limit.activeCount, limit.pendingCount, limit.inspect().activeCount]).toEqual([false, 0, 0, 0]);
    limit.free();
  });

  test('rejects if the limit is closed in between', async () => {
    const { limit } = full();
    const calls = [limit(() => 'a'), limit(() => 'b')].map(outcomeOf);
    limit.close();
    expect(await Promise.all(calls)).toEqual(['SLUICE_CLOSED', 'SLUICE_CLOSED']);
    expect(limit.inspect()).toMatchObject({ activeCount: 0, pendingCount: 0 });
    limit.free();
  });
});

test('free() succeeds right after the last waiting call is aborted or cleared', async () => {
  for (const waits of [1, 2, 3]) {
    for (const ends of ['abort', 'clear'] as const) {
      const { limit } = byHand({ interval: DAY, intervalCap: 1, arena, rejectOnClear: true });
      await limit(() => 'first');
      const leave = new AbortController();
      const call = outcomeOf(limit.run(() => 'ran', { signal: leave.signal }));
      await turns(waits);
      if (ends === 'abort') leave.abort('gave up');
      else limit.clearQueue();
      limit.free();
      expect(await call).not.toBe('ran');
      await turns();
    }
  }
});

/** A clock that jumps once between two readings, as for a thread that loses the core. */
class StallingClock extends HandClock {
  /** After how many readings the clock jumps, and by how much. */
  stallAfter = Infinity;
  stall = 0;

  override readonly read = (): number => {
    if (this.stallAfter-- === 0) this.now += this.stall;
    return this.now;
  };
}

describe('a thread that is descheduled between the count and the function', () => {
  function stalling(options: { readonly strict: boolean; readonly interval: number; readonly intervalCap: number }): {
    readonly limit: ReturnType<typeof createIntervalLimit>;
    readonly clock: StallingClock;
  } {
    const clock = new StallingClock();
    return { limit: createIntervalLimit({ ...options, arena }, clock.read), clock };
  }

  /** Starts one call. Its count is the first reading of the clock. */
  async function startWith(
    clock: StallingClock,
    limit: ReturnType<typeof createIntervalLimit>,
    stall: number,
  ): Promise<unknown> {
    clock.stallAfter = 1;
    clock.stall = stall;
    return outcomeOf(limit.run(() => clock.now, { timeout: 0 }));
  }

  const tries = async (limit: ReturnType<typeof createIntervalLimit>): Promise<boolean> =>
    (await outcomeOf(limit.run(() => 'ran', { timeout: 0 }))) === 'ran';

  test('strict: counts from the moment at which it continues, so the interval after that moment has no further starts', async () => {
    const { limit, clock } = stalling({ strict: true, interval: 100, intervalCap: 1 });
    const begun = clock.now;
    expect(await startWith(clock, limit, 40)).toBe(begun + 40);
    clock.pass(99);
    expect([await tries(limit), limit.inspect().interval?.startCount]).toEqual([false, 1]);
    clock.pass(1.1);
    expect(await tries(limit)).toBe(true);
    limit.free();
  });

  test('strict: counts again after more than an interval, and one count goes unused', async () => {
    const { limit, clock } = stalling({ strict: true, interval: 100, intervalCap: 1 });
    expect(await startWith(clock, limit, 250)).toBe(clock.now);
    clock.pass(99);
    expect(await tries(limit)).toBe(false);
    clock.pass(1.1);
    expect(await tries(limit)).toBe(true);
    limit.free();
  });

  test('fixed windows: counts in the window in which it continues', async () => {
    const { limit, clock } = stalling({ strict: false, interval: 100, intervalCap: 2 });
    // In the same window the count stays valid.
    expect(await startWith(clock, limit, 40)).toBe(clock.now);
    expect(limit.inspect().interval?.startCount).toBe(1);
    // In the next one.
    expect(await startWith(clock, limit, 70)).toBe(clock.now);
    expect([limit.inspect().interval?.startCount, await tries(limit), await tries(limit)]).toEqual([1, true, false]);
    limit.free();
  });

  test('a call that continues in a full window waits', async () => {
    const { limit, clock } = stalling({ strict: false, interval: 100, intervalCap: 1 });
    const other = withOwnClock(limit, clock.now + 150);
    // The other call was made first. It counts in the next window, while this thread stands still.
    let looks = 0;
    const slow = openIntervalLimit(limit.handle, {}, () => {
      looks += 1;
      if (looks === 2) clock.pass(150);
      return clock.now;
    });
    const calls = [
      outcomeOf(slow.run(() => 'ran', { timeout: 0 })),
      outcomeOf(other.limit.run(() => 'other', { timeout: 0 })),
    ];
    expect(await Promise.all(calls)).toEqual(['ran', 'SLUICE_TIMEOUT']);
    limit.free();
  });

  test('keeps the count if it is up to 1 ms late', async () => {
    const { limit, clock } = stalling({ strict: true, interval: 100, intervalCap: 1 });
    const begun = clock.now;
    await startWith(clock, limit, 1);
    clock.now = begun + 100.1;
    expect(await tries(limit)).toBe(true);
    limit.free();
  });

  test('starts the function even if it is descheduled at every reading of the clock', async () => {
    for (const strict of [false, true]) {
      let now = 1000;
      const limit = createIntervalLimit({ interval: 100, intervalCap: 50, strict, arena }, () => (now += 30));
      expect(await limit(() => 'ran')).toBe('ran');
      limit.free();
    }
  });
});

test('createLimit() of the main entry has the types of a limit with an interval', () => {
  const limit: Limit = createLimit({ interval: 5, intervalCap: 1, arena });
  const report: LimitReport = limit.inspect();
  const handle: LimitHandle = limit.handle;
  expect([report.kind, handle.kind]).toEqual(['limit', 'sluice.limit']);
  limit.free();
});
