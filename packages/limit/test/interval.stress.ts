import { Arena, Region } from '@sluice/core';
import { scale, Session, startWorker, withWorkers } from '@sluice/harness';
import type { Limit } from '@sluice/limit';
import { createLimit } from '@sluice/limit';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { MOST, pace, queue, RUNNING, STARTED, WORDS, type IntervalData } from './jobs/pace.mjs';

const jobs = new URL('./jobs/pace.mjs', import.meta.url);
const WORKERS = 4;

interface Plan {
  readonly concurrency: number;
  readonly interval: number;
  readonly intervalCap: number;
  readonly strict: boolean;
}

interface Fixture {
  readonly arena: Arena;
  readonly limit: Limit;
  readonly words: Int32Array;
  readonly data: (calls: number) => IntervalData;
  readonly dump: () => unknown;
  /**
   * The maximum of calls that may have started until now. Intervals do not overlap, and the first one began after the
   * limit was created.
   */
  readonly most: () => number;
}

function fixture(plan: Plan): Fixture {
  const arena = Arena.create({ maxPages: 64 });
  const start = performance.now();
  const limit = createLimit({ ...plan, arena, name: 'shared' });
  const region = Region.create(4 * WORDS, { arena });
  const words = region.int32;
  return {
    arena,
    limit,
    words,
    data: (calls) => ({ limit: limit.handle, words: region.handle, calls }),
    dump: () => ({ limit: limit.inspect(), words }),
    // The limit rounds times by less than 1 ms here.
    most: () => plan.intervalCap * (1 + Math.floor((performance.now() - start + 1) / plan.interval)),
  };
}

function expectRest({ limit, arena }: Fixture): void {
  expect(limit.inspect()).toMatchObject({ activeCount: 0, pendingCount: 0, abandoned: 0, holders: [], waiters: [] });
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  limit.free();
}

test.each([
  { concurrency: 3, interval: 20, intervalCap: 6, strict: false },
  { concurrency: Infinity, interval: 1, intervalCap: 3, strict: false },
  { concurrency: 3, interval: 20, intervalCap: 6, strict: true },
])('four workers start no more calls than an interval allows, and every call settles: %j', async (plan) => {
  const session = new Session(`four workers, ${JSON.stringify(plan)}`);
  const place = fixture(plan);
  const calls = scale(300);
  const ran = await withWorkers({ jobs, seed: session.seed, dump: place.dump }, async (group) => {
    group.start<number>(WORKERS, pace.name, () => place.data(calls));
    return group.results<number>();
  });
  const started = Atomics.load(place.words, STARTED);
  const most = place.most();
  session.done(WORKERS * calls, `${started} started, at most ${most} could`);
  expect([started, place.words[RUNNING]]).toEqual([ran.reduce((sum, count) => sum + count, 0), 0]);
  expect(started).toBeLessThanOrEqual(most);
  expect(place.words[MOST]).toBeLessThanOrEqual(plan.concurrency);
  expectRest(place);
});

test('four workers whose calls wait for the interval take turns, and the calls of each worker start in their order', async () => {
  const session = new Session('order over four workers, with an interval');
  const place = fixture({ concurrency: 1, interval: 1, intervalCap: 2, strict: false });
  const calls = scale(50);
  let open: () => void = () => undefined;
  const first = place.limit(() => new Promise<void>((resolve) => (open = resolve)));
  const places = await withWorkers({ jobs, seed: session.seed, dump: place.dump }, async (group) => {
    group.start<number[]>(WORKERS, queue.name, () => place.data(calls));
    await group.said('queued');
    open();
    return group.results<number[]>();
  });
  await first;
  for (const began of places) expect(began).toEqual(began.toSorted((one, other) => one - other));
  // Each worker has one place in line from the start, and takes the next one when its call begins.
  const turns = places.map((began) => began.map((at) => at % WORKERS));
  session.done(WORKERS * calls, `turns of the workers: ${turns.map(([turn]) => turn).join(', ')}`);
  for (const turn of turns) expect(new Set(turn).size).toBe(1);
  expectRest(place);
});

test('workers that are killed anywhere leave no call behind, and no interval has more starts than its cap', async () => {
  const session = new Session('killed anywhere, with an interval');
  const place = fixture({ concurrency: 2, interval: 1, intervalCap: 3, strict: session.random.chance(50) });
  const deaths = scale(12);
  for (let death = 0; death < deaths; death++) {
    const workers = [0, 1].map((index) =>
      startWorker({
        module: jobs.href,
        job: pace.name,
        data: place.data(1_000_000),
        index,
        seed: session.seed + 2 * death + index,
      }),
    );
    const reclaimed = workers.map(
      (worker) => new Promise<unknown>((resolve) => place.arena.watch(worker, { onReclaim: resolve })),
    );
    await Promise.all(workers.map((worker) => once(worker, 'online')));
    // Both are in the arena. A worker that was never in it is not reclaimed.
    while (place.arena.inspect().agents.length < 3) await new Promise((later) => setTimeout(later, 1));
    const before = Atomics.load(place.words, STARTED);
    while (Atomics.load(place.words, STARTED) < before + 20) await new Promise((later) => setTimeout(later, 1));
    for (let calls = session.random.below(10); calls > 0; calls--)
      await place.limit(() => Atomics.add(place.words, STARTED, 1));
    await Promise.all(workers.map((worker) => worker.terminate()));
    await Promise.all(reclaimed);
    await Promise.all(Array.from({ length: 5 }, () => place.limit(() => Atomics.add(place.words, STARTED, 1))));
    expect(place.limit.inspect()).toMatchObject({ activeCount: 0, pendingCount: 0, waiters: [] });
  }
  const started = Atomics.load(place.words, STARTED);
  session.done(2 * deaths, `${started} started, at most ${place.most()} could`);
  expect(started).toBeLessThanOrEqual(place.most());
  expectRest(place);
});
