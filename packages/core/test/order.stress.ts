import { atFullDepth, shortOf, Session, withWorkers } from '@sluice/harness';
import { expect, test } from 'vitest';
import { ASYNC, BLOCKING, LEAVES } from './jobs/line.mjs';
import { EnqueueAtSide, type LineOptions } from './support/line-up.ts';
import { dumpOf, expectQuiet, jobs } from './support/stress.ts';

const LINES: readonly (readonly [what: string, line: LineOptions])[] = [
  ['16 blocking waiters', { workers: 16, rounds: shortOf(50), most: 1, ways: [BLOCKING] }],
  ['16 waiters in one bucket', { workers: 16, rounds: shortOf(50), most: 1, ways: [BLOCKING], buckets: 1 }],
  ['16 blocking and async waiters', { workers: 16, rounds: shortOf(50), most: 1, ways: [BLOCKING, ASYNC] }],
  ['16 waiters for one to five permits', { workers: 16, rounds: shortOf(50), most: 5, ways: [BLOCKING, ASYNC] }],
  [
    '16 waiters, with leaving waiters among them',
    { workers: 24, rounds: shortOf(50), most: 3, ways: [BLOCKING, ASYNC, LEAVES], buckets: 4 },
  ],
  ...atFullDepth([
    '64 waiters, with leaving waiters among them',
    { workers: 80, rounds: shortOf(8), most: 3, ways: [BLOCKING, ASYNC, BLOCKING, BLOCKING, LEAVES] },
  ]),
];

test.each(LINES)('%s are served in the order of arrival, permit by permit', async (what, line) => {
  const session = new Session(`${what}, permit by permit`);
  const place = new EnqueueAtSide(line, session.random, 0);
  const { arena, sem } = place;
  await withWorkers({ jobs: jobs.line, seed: session.seed, dump: dumpOf(arena, [sem]) }, async (group) => {
    place.start(group, false);
    for (let round = 0; round < line.rounds; round++) {
      const expected = await place.gather(group);
      for (const [at, { permits }] of expected.entries()) {
        for (let given = 1; given <= permits; given++) {
          expect(place.admitted).toBe(at);
          sem.release();
        }
        await group.until(`waiter ${at} of round ${round} to be admitted`, () => place.admitted > at);
      }
      expect(place.order).toEqual(expected.map(({ index }) => index));
    }
    await group.results();
  });
  session.done(line.rounds * line.workers);
  // The waiters kept their permits.
  expect(sem.inspect()).toMatchObject({ available: 0, waiters: [], abandoned: 0 });
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
});

test.each(LINES.filter(([, { most }]) => most === 1))(
  '%s pass one permit on in the order of arrival',
  async (what, line) => {
    const session = new Session(`${what}, one permit passed on`);
    const place = new EnqueueAtSide(line, session.random, 1);
    const { arena, sem } = place;
    await withWorkers({ jobs: jobs.line, seed: session.seed, dump: dumpOf(arena, [sem]) }, async (group) => {
      place.start(group, true);
      for (let round = 0; round < line.rounds; round++) {
        const expected = await place.gather(group);
        sem.release();
        await group.until(`the permit of round ${round} to be released`, () => sem.tryAcquire());
        expect(place.order).toEqual(expected.map(({ index }) => index));
      }
      await group.results();
    });
    session.done(line.rounds * line.workers);
    // The main thread drains and releases below, so it held the permit in between.
    sem.release();
    expectQuiet(arena, [sem], 1);
  },
);
