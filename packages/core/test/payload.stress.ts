import { Arena, Region, Semaphore } from '@sluice/core';
import { shortOf, Session, withWorkers } from '@sluice/harness';
import { expect, test } from 'vitest';
import { count } from './jobs/semaphore.mjs';
import { CORES, dumpOf, expectQuiet, jobs, sharedWords } from './support/stress.ts';

const WORDS = 64;

test.each(['blocking', 'async', 'mixed'] as const)(
  'plain words under one permit have the values that the last holder left (%s)',
  async (way) => {
    const session = new Session(`plain words, ${way}`);
    const rounds = shortOf(way === 'blocking' ? 400_000 : 120_000);
    const arena = Arena.create({ maxPages: 16 });
    const sem = Semaphore.create(1, { arena });
    const tally = sharedWords(arena, WORDS);
    const data = { semaphore: sem.handle, tally: tally.handle, rounds, way };
    await withWorkers({ jobs: jobs.rest, seed: session.seed, dump: dumpOf(arena, [sem]) }, async (group) => {
      group.start(CORES + 1, 'count', () => data);
      // The main thread takes part, without ever blocking.
      await count(
        { ...data, way: 'async' },
        { index: -1, random: session.random, say: () => undefined, pause: () => Promise.resolve() },
      );
      await group.results();
    });
    const total = rounds * (CORES + 2);
    session.done(total);
    expect([...new Set(tally.int32)]).toEqual([total]);
    expectQuiet(arena, [sem], 1);
  },
);

test.each([1, 2, 64])(
  'messages written plainly before release() are visible after acquire(), through a ring of %i',
  async (length) => {
    const session = new Session(`messages through a ring of ${length}`);
    const rounds = shortOf(length === 64 ? 500_000 : 100_000);
    const arena = Arena.create({ maxPages: 16 });
    const ring = Region.create(8 * length, { arena });
    const [filled, empty] = [
      Semaphore.create(0, { arena, max: length }),
      Semaphore.create(length, { arena, max: length }),
    ];
    const data = { filled: filled.handle, empty: empty.handle, ring: ring.handle, rounds };
    const results = await withWorkers(
      { jobs: jobs.rest, seed: session.seed, dump: dumpOf(arena, [filled, empty]) },
      async (group) => {
        group.start(1, 'consume', () => data);
        group.start(1, 'produce', () => data);
        return group.results();
      },
    );
    session.done(rounds);
    expect(results[0]).toBe((rounds * (rounds - 1)) / 2);
    // Each side acquires what the other releases. So both agents are listed with the permits that passed through them,
    // and no agent holds others.
    expect([filled.available, empty.available, filled.waiting, empty.waiting]).toEqual([0, length, 0, 0]);
    expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  },
);
