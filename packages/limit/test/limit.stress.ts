import { Arena, Region } from '@sluice/core';
import { shortOf, Session, withWorkers } from '@sluice/harness';
import { createLimit, type Limit } from '@sluice/limit';
import { expect, test } from 'vitest';
import { MOST, queue, RAN, resize, RUNNING, share, WORDS, type ShareData } from './jobs/share.mjs';

const jobs = new URL('./jobs/share.mjs', import.meta.url);
const WORKERS = 4;

interface Fixture {
  readonly arena: Arena;
  readonly limit: Limit;
  readonly words: Int32Array;
  readonly data: (calls: number) => ShareData;
  readonly dump: () => unknown;
}

function fixture(concurrency: number): Fixture {
  const arena = Arena.create({ maxPages: 1024 });
  const limit = createLimit({ concurrency, arena, name: 'shared' });
  const region = Region.create(4 * WORDS, { arena });
  const words = region.int32;
  const data = (calls: number): ShareData => ({ limit: limit.handle, words: region.handle, calls });
  return { arena, limit, words, data, dump: () => ({ limit: limit.inspect(), words }) };
}

function expectRest({ limit, arena }: Fixture): void {
  expect(limit.inspect()).toMatchObject({ activeCount: 0, pendingCount: 0, abandoned: 0, holders: [], waiters: [] });
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  limit.free();
}

test.each([1, 3])(
  'four workers share a limit of %i: at most that many functions run at once, and every call settles',
  async (concurrency) => {
    const session = new Session(`four workers, ${concurrency} at a time`);
    const place = fixture(concurrency);
    const calls = shortOf(4000);
    const ran = await withWorkers({ jobs, seed: session.seed, dump: place.dump }, async (group) => {
      group.start<number>(WORKERS, share.name, () => place.data(calls));
      return group.results<number>();
    });
    const total = ran.reduce((sum, count) => sum + count, 0);
    session.done(WORKERS * calls, `${total} ran, at most ${place.words[MOST]} at a time`);
    expect([place.words[RUNNING], place.words[RAN]]).toEqual([0, total]);
    // The maximum was reached, too. Otherwise the test would prove nothing.
    expect(place.words[MOST]).toBe(concurrency);
    expectRest(place);
  },
);

test('four workers with waiting calls take turns, and the calls of each worker run in their order', async () => {
  const session = new Session('order over four workers');
  const place = fixture(1);
  const calls = shortOf(2000);
  let open: () => void = () => undefined;
  const first = place.limit(() => new Promise<void>((resolve) => (open = resolve)));
  const places = await withWorkers({ jobs, seed: session.seed, dump: place.dump }, async (group) => {
    group.start<number[]>(WORKERS, queue.name, () => place.data(calls));
    await group.said('queued');
    expect(place.limit.inspect()).toMatchObject({ activeCount: 1, pendingCount: WORKERS * calls });
    open();
    return group.results<number[]>();
  });
  await first;
  for (const began of places) expect(began).toEqual(began.toSorted((one, other) => one - other));
  // Each worker has one place in line from the start, and takes the next one when its call begins.
  const turns = places.map((began) => began.map((at) => at % WORKERS));
  session.done(WORKERS * calls, `turns of the workers: ${turns.map(([turn]) => turn).join(', ')}`);
  for (const turn of turns) expect(new Set(turn).size).toBe(1);
  expect(places.flat().sort((one, other) => one - other)).toEqual(
    Array.from({ length: WORKERS * calls }, (_, index) => index),
  );
  expectRest(place);
});

test('no slot is lost or added while four workers keep setting the concurrency', async () => {
  const session = new Session('four workers that set the concurrency');
  const place = fixture(2);
  const [calls, most] = [shortOf(2000), 5];
  await withWorkers({ jobs, seed: session.seed, dump: place.dump }, async (group) => {
    group.start(WORKERS, resize.name, () => ({ ...place.data(calls), most }));
    await group.results();
  });
  session.done(WORKERS * calls, `at most ${place.words[MOST]} at a time`);
  expect(place.words[RAN]).toBe(WORKERS * calls);
  expect(place.words[MOST]).toBeLessThanOrEqual(most);
  for (const concurrency of [place.limit.concurrency, 3]) {
    place.limit.concurrency = concurrency;
    expect(await allThatRun(place.limit)).toBe(concurrency);
  }
  expectRest(place);
});

/** Returns how many of 12 calls begin. */
async function allThatRun(limit: Limit): Promise<number> {
  let running = 0;
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const calls = Array.from({ length: 12 }, () =>
    limit(() => {
      running += 1;
      return opened;
    }),
  );
  await new Promise((resolve) => setImmediate(resolve));
  const most = running;
  open();
  await Promise.all(calls);
  return most;
}
