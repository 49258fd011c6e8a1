import { Arena, Semaphore } from '@sluice/core';
import { scale, Session, withWorkers } from '@sluice/harness';
import { expect, test } from 'vitest';
import { dumpOf, expectQuiet, jobs, sharedWords } from './support/stress.ts';

const STOP = 0;
const TURNS = 1;

test.each([1, 4])(
  'no waiter overtakes an async wait of the main thread, with %i blocking worker(s) in line',
  async (workers) => {
    const session = new Session(`main thread among ${workers} blocking worker(s)`);
    const arena = Arena.create({ maxPages: 16 });
    const sem = Semaphore.create(1, { arena });
    const counter = sharedWords(arena, 2);
    const words = counter.int32;
    const waits = scale(10_000);
    let waited = 0;
    let total = 0;

    await withWorkers({ jobs: jobs.rest, seed: session.seed, dump: dumpOf(arena, [sem]) }, async (group) => {
      group.start(workers, 'takeTurns', () => ({ semaphore: sem.handle, counter: counter.handle }));
      await group.said('ready');
      // Until some of them have met a worker: on a busy machine the workers may get no core for a while.
      for (let wait = 0; wait < waits || waited === 0; wait++) {
        const admission = sem.acquireAsync();
        const before = Atomics.load(words, TURNS);
        if (sem.waiting > 0) waited += 1;
        await admission;
        // Each worker has at most one place in line, and its next place is behind the main thread's.
        const overtakers = Atomics.load(words, TURNS) - before;
        expect(overtakers).toBeLessThanOrEqual(workers);
        sem.release();
        if (session.random.chance(20)) await new Promise((resolve) => setImmediate(resolve));
      }
      Atomics.store(words, STOP, 1);
      const turns = await group.results<number>();
      total = turns.reduce((sum, own) => sum + own, 0);
      expect(words[TURNS]).toBe(total);
    });

    session.done(waits + total, `${waited} times the line was not empty`);
    expect(waited).toBeGreaterThan(0);
    expectQuiet(arena, [sem], 1);
  },
);

test('all async waits of the main thread and blocking waits of workers end', async () => {
  const session = new Session('a thousand waits of the main thread');
  const arena = Arena.create({ maxPages: 16, policy: { buckets: 16 } });
  const sem = Semaphore.create(0, { arena });
  const waits = 1000;
  const rounds = scale(10);
  await withWorkers({ jobs: jobs.rest, seed: session.seed, dump: dumpOf(arena, [sem]) }, async (group) => {
    for (let round = 0; round < rounds; round++) {
      const mine = Array.from({ length: waits }, () => sem.acquireAsync());
      const theirs = ['blocking', 'async'].flatMap((way) =>
        group.start(1, 'waitForTheEnd', () => ({ semaphore: sem.handle, permits: 3, way })),
      );
      await group.until('all workers in line', () => sem.waiting === waits + 2);
      for (let released = 0; released < waits + 6; ) {
        const permits = Math.min(session.random.between(1, 20), waits + 6 - released);
        sem.release(permits);
        released += permits;
      }
      await Promise.all(mine);
      expect(await Promise.all(theirs.map(({ result }) => result))).toEqual(['admitted', 'admitted']);
    }
  });
  session.done(rounds * (waits + 2));
  expect(sem.inspect()).toMatchObject({ available: 0, waiters: [], abandoned: 0 });
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
});
