// Calls that wait for the interval of a limit: their order, their ends, and their report.

import { Arena, hasCode } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { secondAgent } from '../../core/test/support/second-agent.ts';
import { createLimit, type IntervalLimitOptions, type Limit } from '../src/index.ts';
import { Stage, turns } from './support/gate.ts';
import { asAgent, byHand, tries, type ByHand, type HandClock } from './support/interval.ts';

const arena = Arena.create({ maxPages: 64, policy: { buckets: 8 } });

/** An interval of 1 ms, by a clock that stands still until a test moves it. */
function still(options: Partial<IntervalLimitOptions> = {}): ByHand & { readonly stage: Stage } {
  return { ...byHand({ interval: 1, intervalCap: 2, arena, ...options }), stage: new Stage() };
}

/** Moves the clock, and lets the sleep at the head end. */
async function pass(clock: HandClock, stage: Stage, started: number, ms = 1): Promise<void> {
  clock.pass(ms);
  while (stage.began.length < started) await new Promise((later) => setTimeout(later, 1));
  await turns();
  expect(stage.began).toHaveLength(started);
}

const settled = (calls: readonly Promise<unknown>[]): Promise<unknown[]> =>
  Promise.all(calls.map((call) => call.catch((failure: unknown) => failure)));

describe('calls that wait for the interval', () => {
  test('start in the order in which they were made, those of a higher priority first', async () => {
    const { limit, clock, stage } = still();
    const calls = ['a', 'b', 'c', 'd', 'e'].map((name) => limit(stage.play, name));
    calls.push(limit.run(stage.play, { args: ['urgent'], priority: 1 }));
    await turns();
    expect([stage.began, limit.activeCount, limit.pendingCount]).toEqual([['a', 'b'], 2, 4]);
    await pass(clock, stage, 4);
    expect([stage.began.slice(2), limit.activeCount, limit.pendingCount]).toEqual([['urgent', 'c'], 4, 2]);
    await pass(clock, stage, 6);
    expect(stage.began.slice(4)).toEqual(['d', 'e']);
    await stage.endAll();
    await Promise.all(calls);
    limit.free();
  });

  test('are served by consecutive intervals without a gap', async () => {
    const { limit, clock, stage } = still({ interval: 10 });
    const calls = ['a', 'b', 'c', 'd', 'e'].map((name) => limit(stage.play, name));
    await turns();
    // The head wakes late, in the middle of the interval. The interval ends at the same time nevertheless.
    await pass(clock, stage, 4, 15);
    expect(limit.inspect().interval?.startCount).toBe(2);
    expect(limit.inspect().interval?.opensIn).toBeCloseTo(5, 2);
    await pass(clock, stage, 5, 5.1);
    await stage.endAll();
    await Promise.all(calls);
    limit.free();
  });

  test('need a slot, too, and no start is used before a slot is free', async () => {
    const { limit, clock, stage } = still({ concurrency: 1, intervalCap: 2 });
    const calls = ['a', 'b', 'c'].map((name) => limit(stage.play, name));
    await turns();
    expect([stage.running, limit.inspect().interval?.startCount]).toEqual([['a'], 1]);
    await stage.end('a');
    expect(stage.running).toEqual(['b']);
    await stage.end('b');
    expect([stage.running, limit.inspect()]).toEqual([
      [],
      expect.objectContaining({ activeCount: 0, pendingCount: 1 }),
    ]);
    await pass(clock, stage, 3);
    await stage.endAll();
    await Promise.all(calls);
    limit.free();
  });

  test('take turns with those of other agents, call by call', async () => {
    const { limit: ours, clock, stage } = still({ intervalCap: 1 });
    const theirs = asAgent(secondAgent(arena), ours, clock);
    const calls = [ours(stage.play, 'x')];
    await turns();
    for (const name of ['a1', 'a2', 'a3']) calls.push(ours(stage.play, name));
    await turns();
    for (const name of ['b1', 'b2']) calls.push(theirs(stage.play, name));
    await turns();
    expect(ours.inspect()).toMatchObject({
      activeCount: 1,
      pendingCount: 5,
      waiters: [{ agent: ours.arena.agentId }, { agent: theirs.arena.agentId }],
    });
    for (let started = 2; started <= 6; started++) await pass(clock, stage, started);
    expect(stage.began).toEqual(['x', 'a1', 'b1', 'a2', 'b2', 'a3']);
    await stage.endAll();
    await Promise.all(calls);
    expect(ours.inspect()).toMatchObject({ activeCount: 0, pendingCount: 0, holders: [], waiters: [] });
    ours.free();
  });

  test('are not overtaken by a later call of another agent when the interval opens', async () => {
    const { limit: ours, clock, stage } = still({ intervalCap: 1 });
    const theirs = asAgent(secondAgent(arena), ours, clock);
    const calls = [ours(stage.play, 'x'), ours(stage.play, 'first')];
    await turns();
    clock.pass(1);
    expect(await tries(theirs)).toBe(false);
    await pass(clock, stage, 2, 0);
    expect(stage.began).toEqual(['x', 'first']);
    await stage.endAll();
    await Promise.all(calls);
    ours.free();
  });

  test('leave when they are aborted, time out or are cleared, and use no start', async () => {
    const { limit, clock, stage } = still({ intervalCap: 1, rejectOnClear: true });
    const other = createLimit.from(limit.handle, { rejectOnClear: true });
    const first = limit(stage.play, 'first');
    const controller = new AbortController();
    const reason = new Error('no longer');
    const failed = settled([
      limit.run(stage.play, { args: ['aborted'], signal: controller.signal }),
      limit.run(stage.play, { args: ['late'], timeout: 1 }),
      other(stage.play, 'cleared'),
      limit.run(stage.play, { args: ['at once'], timeout: 0 }),
    ]);
    await turns();
    controller.abort(reason);
    other.clearQueue();
    const [aborted, late, cleared, atOnce] = await failed;
    expect([aborted, (cleared as Error).name]).toEqual([reason, 'AbortError']);
    for (const failure of [late, atOnce]) {
      expect(hasCode(failure, 'SLUICE_TIMEOUT')).toBe(true);
      expect(String(failure)).toContain('1 of 1 starts in 1 ms made');
    }
    await turns();
    expect([limit.pendingCount, limit.inspect().pendingCount, limit.inspect().waiters]).toEqual([0, 0, []]);
    // None of them has used the start of the next interval.
    clock.pass(1);
    const next = limit(stage.play, 'next');
    await turns();
    expect(stage.began).toEqual(['first', 'next']);
    await stage.endAll();
    await Promise.all([first, next]);
    limit.free();
  });

  test('reject when an agent closes the limit, and free() returns all of its memory', async () => {
    const other = secondAgent(arena);
    const used: number[] = [];
    // Memory that an agent needs once stays allocated.
    for (let round = 0; round < 3; round++) {
      const { limit: ours, clock, stage } = still({ interval: 1e9, intervalCap: 1, strict: round === 1 });
      const theirs = asAgent(other, ours, clock);
      const first = ours(stage.play, 'first');
      const calls = settled([ours(stage.play, 'a'), ours(stage.play, 'b'), theirs(stage.play, 'c')]);
      await turns();
      expect(() => ours.free()).toThrow('is in use and cannot be freed');
      theirs.close();
      for (const failure of await calls) expect(hasCode(failure, 'SLUICE_CLOSED')).toBe(true);
      expect(hasCode(await ours(stage.play, 'later').catch((failure: unknown) => failure), 'SLUICE_CLOSED')).toBe(true);
      expect(ours.inspect()).toMatchObject({ state: 'closed', activeCount: 1, pendingCount: 0, waiters: [] });
      await stage.endAll();
      await first;
      ours.free();
      await expect(Promise.resolve(ours).then((freed) => freed(() => 1))).rejects.toThrow('was freed');
      used.push(arena.inspect().used);
    }
    expect(used[2]).toBe(used[1]);
  });

  test('start when the concurrency is raised, if the interval allows it', async () => {
    const { limit, clock, stage } = still({ concurrency: 1, intervalCap: 2 });
    const calls = ['a', 'b', 'c'].map((name) => limit(stage.play, name));
    await turns();
    limit.concurrency = 9;
    await turns();
    expect(stage.running).toEqual(['a', 'b']);
    await pass(clock, stage, 3);
    await stage.endAll();
    await Promise.all(calls);
    limit.free();
  });
});

describe('carryoverIntervalCount', () => {
  test('counts the functions that run when an interval begins', async () => {
    const { limit, clock, stage } = still({ intervalCap: 2, carryoverIntervalCount: true });
    const calls = ['a', 'b', 'c', 'd', 'e'].map((name) => limit(stage.play, name));
    await turns();
    expect(stage.running).toEqual(['a', 'b']);
    await stage.end('a');
    // One function still runs, so one call can start.
    await pass(clock, stage, 3);
    // Two functions run, so the interval is full from the start.
    clock.pass(1);
    while (limit.inspect().interval?.startCount !== 2) await new Promise((later) => setTimeout(later, 1));
    await turns();
    expect([stage.running, limit.inspect().interval]).toEqual([
      ['b', 'c'],
      expect.objectContaining({ startCount: 2, carryoverIntervalCount: true }),
    ]);
    await stage.end('b', 'c');
    expect(stage.running).toEqual([]);
    await pass(clock, stage, 5);
    await stage.endAll();
    await Promise.all(calls);
    limit.free();
  });
});

test('a limit with an interval has the calls, options and objects of one without', async () => {
  const limit = createLimit(3, { interval: 1e9, intervalCap: 100, name: 'paced' });
  const same: Limit = createLimit.from(structuredClone(limit.handle));
  expect(await same.map([1, 2, 3], (n, index) => n * index)).toEqual([0, 2, 6]);
  expect([String(same), same.concurrency, same.activeCount, same.inspect().name]).toEqual([
    "Limit 'paced'",
    3,
    0,
    'paced',
  ]);
  same.concurrency = 5;
  expect([limit.concurrency, limit.inspect().interval?.startCount]).toEqual([5, 3]);
  limit.free();
});

test('createLimit() of the interval entry creates and opens limits without an interval, too', async () => {
  expect(createLimit({ concurrency: 2 }).handle.interval).toBeUndefined();
  expect(createLimit({ interval: 5, intervalCap: 1 }).concurrency).toBe(Infinity);
  const limit = createLimit(1);
  const same = createLimit.from(limit.handle);
  expect(same.inspect().interval).toBeUndefined();
  const stage = new Stage();
  const calls = [limit(stage.play, 'a'), same(stage.play, 'b'), limit(stage.play, 'c')];
  await turns();
  await stage.endAll();
  await Promise.all(calls);
  expect(stage.began).toEqual(['a', 'b', 'c']);
  limit.free();
});
