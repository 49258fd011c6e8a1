import { Arena, Region } from '@sluice/core';
import { scale, Session, startWorker, withWorkers } from '@sluice/harness';
import { RateLimiter } from '@sluice/limit';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { queue, take, TAKEN, WORDS, type CallData, type Way } from './jobs/calls.mjs';

const jobs = new URL('./jobs/calls.mjs', import.meta.url);

interface Fixture {
  readonly arena: Arena;
  readonly limiter: RateLimiter;
  readonly words: Int32Array;
  readonly data: CallData;
  readonly dump: () => unknown;
  /**
   * Returns the maximum number of permits that may have been taken until now: a burst, and those that came since before
   * the limiter was created.
   */
  readonly most: () => number;
}

function fixture(permits: number, interval: number, burst: number, calls: number, ways: Way[]): Fixture {
  const arena = Arena.create({ maxPages: 64 });
  const start = performance.now();
  const limiter = RateLimiter.create({ permits, interval, burst, arena, name: 'shared' });
  const region = Region.create(4 * WORDS, { arena });
  const words = region.int32;
  const data = { limiter: limiter.handle, words: region.handle, calls, burst, ways };
  // The limiter may round its start down to a whole ms.
  const most = (): number => burst + ((performance.now() - start + 1) * permits) / interval;
  return { arena, limiter, words, data, dump: () => ({ limiter: limiter.inspect(), words }), most };
}

function expectRest({ limiter, arena }: Fixture): void {
  expect(limiter.inspect()).toMatchObject({ waiters: [], abandoned: 0 });
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  limiter.free();
}

const CASES: readonly (readonly [ways: Way[], permits: number, interval: number, burst: number, calls: number])[] = [
  [['blocking'], 20, 1, 4, 1000],
  [['blocking', 'async', 'patient', 'tries'], 10, 1, 3, 400],
  [['mixed'], 5, 1, 2, 300],
];

test.each(CASES)(
  'workers take no more permits than the rate allows, and every call ends (%j, %i permits in %i ms, burst %i)',
  async (ways, permits, interval, burst, calls) => {
    const session = new Session(`a rate for ${ways.join(', ')}`);
    const place = fixture(permits, interval, burst, scale(calls), ways);
    const taken = await withWorkers({ jobs, seed: session.seed, dump: place.dump }, async (group) => {
      group.start<number>(4, take.name, () => place.data);
      return group.results<number>();
    });
    const most = place.most();
    const total = taken.reduce((sum, count) => sum + count, 0);
    session.done(4 * scale(calls), `${total} taken of at most ${Math.floor(most)}`);
    expect(Atomics.load(place.words, TAKEN)).toBe(total);
    expect(total).toBeLessThanOrEqual(most);
    expectRest(place);
  },
);

test('waiting workers reach the head in order of arrival, and close() ends their waits', async () => {
  const session = new Session('order over workers');
  // No permit comes for days.
  const place = fixture(1, 1e9, 1, 1, ['blocking']);
  place.limiter.acquire();
  const leave = new AbortController();
  const head = place.limiter.acquireAsync(1, { signal: leave.signal }).catch(() => undefined);
  const ends = await withWorkers({ jobs, seed: session.seed, dump: place.dump }, async (group) => {
    for (let worker = 0; worker < 4; worker++) {
      group.start<string>(1, queue.name, () => place.data);
      await group.until(`worker ${worker} waits`, () => place.limiter.inspect().waiters.length === worker + 1);
    }
    const order = place.limiter.inspect().waiters.map(({ agent }) => agent);
    leave.abort();
    await head;
    await group.until('the first worker is at the head', () => place.limiter.inspect().head === order[0]);
    expect(place.limiter.inspect().waiters.map(({ agent }) => agent)).toEqual(order.slice(1));
    place.limiter.close();
    return group.results<string>();
  });
  expect(ends).toEqual(Array.from({ length: 4 }, () => 'SLUICE_CLOSED'));
  session.done(4);
  expectRest(place);
});

test('workers that are killed anywhere delay no other worker, and no permit is taken twice', async () => {
  const session = new Session('killed anywhere');
  const place = fixture(10, 1, 3, 1_000_000, ['mixed']);
  const deaths = scale(12);
  for (let death = 0; death < deaths; death++) {
    const workers = [0, 1].map((index) =>
      startWorker({
        module: jobs.href,
        job: take.name,
        data: place.data,
        index,
        seed: session.seed + 2 * death + index,
      }),
    );
    const reclaimed = workers.map(
      (worker) => new Promise<unknown>((resolve) => place.arena.watch(worker, { onReclaim: resolve })),
    );
    await Promise.all(workers.map((worker) => once(worker, 'online')));
    // Both workers are in the arena. A worker that was never in it is not reclaimed.
    while (place.arena.inspect().agents.length < 3) await new Promise((later) => setTimeout(later, 1));
    const before = Atomics.load(place.words, TAKEN);
    while (Atomics.load(place.words, TAKEN) < before + 20) await new Promise((later) => setTimeout(later, 1));
    for (let calls = session.random.below(10); calls > 0; calls--)
      await place.limiter.acquireAsync(session.random.between(1, 3));
    await Promise.all(workers.map((worker) => worker.terminate()));
    await Promise.all(reclaimed);
    await place.limiter.acquireAsync(3);
    expect(place.limiter.inspect()).toMatchObject({ waiters: [] });
  }
  // Permits that this thread took are not counted, nor those that a dead worker took and had not counted.
  expect(Atomics.load(place.words, TAKEN)).toBeLessThanOrEqual(place.most());
  session.done(2 * deaths, `${Atomics.load(place.words, TAKEN)} taken of at most ${Math.floor(place.most())}`);
  expectRest(place);
});
