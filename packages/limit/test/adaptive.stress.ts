import { Arena, Region } from '@sluice/core';
import { scale, Session, shortOf, startWorker, withWorkers } from '@sluice/harness';
import { createLimit, type Limit } from '@sluice/limit';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { adapt, type AdaptiveData } from './jobs/adaptive.mjs';
import { MOST, RAN, RUNNING, WORDS } from './jobs/share.mjs';

const jobs = new URL('./jobs/adaptive.mjs', import.meta.url);
const WORKERS = 4;
const [MIN, MAX, MAX_WAITING] = [2, 9, 24];

interface Fixture {
  readonly arena: Arena;
  readonly limit: Limit;
  readonly words: Int32Array;
  readonly data: (calls: number) => AdaptiveData;
}

function fixture(shed: 'newest' | 'oldest'): Fixture {
  const arena = Arena.create({ maxPages: 256 });
  const limit = createLimit({ adaptive: { min: MIN, max: MAX }, maxWaiting: MAX_WAITING, shed, arena, name: 'found' });
  const region = Region.create(4 * WORDS, { arena });
  const data = (calls: number): AdaptiveData => ({ limit: limit.handle, words: region.handle, calls });
  return { arena, limit, words: region.int32, data };
}

/** Nothing is taken, and as many calls run and wait as may. */
async function expectRest({ limit, words }: Fixture): Promise<void> {
  expect(limit.inspect()).toMatchObject({ activeCount: 0, pendingCount: 0, abandoned: 0, holders: [], waiters: [] });
  const { concurrency, adaptive } = limit.inspect();
  expect(concurrency).toBe(Math.floor(adaptive?.estimate as number));
  expect(concurrency).toBeGreaterThanOrEqual(MIN);
  expect(concurrency).toBeLessThanOrEqual(MAX);
  expect(words[MOST]).toBeLessThanOrEqual(MAX);
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const ends = Array.from({ length: concurrency + MAX_WAITING + 1 }, () => limit(() => opened));
  // The one beyond is shed, or another one for it.
  await expect(Promise.race(ends)).rejects.toMatchObject({ code: 'SLUICE_OVERLOADED' });
  expect([limit.activeCount, limit.pendingCount]).toEqual([concurrency, MAX_WAITING]);
  open();
  await Promise.allSettled(ends);
  limit.free();
}

test.each(['newest', 'oldest'] as const)(
  'four workers share an adaptive limit that sheds the %s call: every call settles, and no more run than max',
  async (shed) => {
    const session = new Session(`four workers, adaptive, ${shed}`);
    const place = fixture(shed);
    const calls = shortOf(4000);
    const results = await withWorkers(
      { jobs, seed: session.seed, dump: () => place.limit.inspect() },
      async (group) => {
        group.start(WORKERS, adapt.name, () => place.data(calls));
        return group.results<{ ran: number; shed: number }>();
      },
    );
    const [ran, dropped] = results.reduce<[number, number]>(
      (sum, one) => [sum[0] + one.ran, sum[1] + one.shed],
      [0, 0],
    );
    session.done(WORKERS * calls, `${ran} ran, ${dropped} shed, at most ${place.words[MOST]} at a time`);
    expect([place.words[RUNNING], place.words[RAN]]).toEqual([0, ran]);
    expect(place.limit.inspect().shedding?.shedCount).toBe(dropped);
    await expectRest(place);
  },
);

test('after workers were killed that ran functions and changed the size, no slot and no place is lost', async () => {
  const session = new Session('killed in an adaptive limit');
  const place = fixture('oldest');
  const { arena, limit } = place;
  const deaths = scale(10);
  const module = jobs.href;
  for (let death = 0; death < deaths; death++) {
    const workers = [0, 1].map((index) =>
      startWorker({ module, job: adapt.name, data: place.data(1_000_000), index, seed: session.seed + death }),
    );
    const reclaimed = workers.map(
      (worker) => new Promise<unknown>((resolve) => arena.watch(worker, { onReclaim: resolve })),
    );
    await Promise.all(workers.map((worker) => once(worker, 'online')));
    while (arena.inspect().agents.length < 3) await new Promise((resolve) => setTimeout(resolve, 1));
    // Until both are well under way.
    for (let calls = session.random.below(40); calls > 0; calls--) await limit(() => undefined).catch(() => undefined);
    await Promise.all(workers.map((worker) => worker.terminate()));
    await Promise.all(reclaimed);
    Atomics.store(place.words, RUNNING, 0);
  }
  session.done(2 * deaths);
  // If the last one died before it set the size, the next one does.
  for (let call = 0; call < 100; call++) await limit(() => undefined);
  Atomics.store(place.words, MOST, 0);
  await expectRest(place);
});
