import { Arena, Semaphore } from '@sluice/core';
import { shortOf, Session, withWorkers } from '@sluice/harness';
import { expect, test } from 'vitest';
import { dumpOf, expectQuiet, jobs } from './support/stress.ts';

const WAYS = ['blocking', 'async', 'timed'] as const;

test('close() ends the blocking, async and timed waits of 16 workers', async () => {
  const session = new Session('close() during 16 waits');
  for (let round = 0; round < shortOf(6); round++) {
    const arena = Arena.create({ maxPages: 16, policy: { buckets: session.random.pick([1, 16, 256]) } });
    const sem = Semaphore.create(1, { arena, name: 'closing' });
    const other = Semaphore.create(3, { arena });
    await withWorkers({ jobs: jobs.rest, seed: session.seed, dump: dumpOf(arena, [sem]) }, async (group) => {
      const { random } = session;
      const ways = Array.from({ length: 16 }, () => random.pick(WAYS));
      group.start(16, 'waitForTheEnd', (index) => ({
        semaphore: sem.handle,
        permits: random.between(2, 5),
        way: ways[index],
      }));
      // A waiter is in line shortly before it records how it waits.
      const awaiting = () => sem.inspect().waiters.filter(({ kind }) => kind === 'async').length;
      const expected = ways.filter((way) => way === 'async').length;
      await group.until('16 in line', () => sem.waiting === 16 && awaiting() === expected);
      expect(new Set(sem.inspect().waiters.map(({ agent }) => agent)).size).toBe(16);
      sem.close();
      expect(await group.results()).toEqual(Array.from({ length: 16 }, () => 'SLUICE_CLOSED'));
    });
    expect(sem.waiting).toBe(0);
    expect(sem.inspect()).toMatchObject({ state: 'closed', waiters: [], abandoned: 0, holders: [] });
    expectQuiet(arena, [other], 3);
    sem.free();
  }
  session.done(shortOf(6) * 16);
});

test('close() during releases ends every wait, granted or not', async () => {
  const session = new Session('close() during releases');
  const tally = { admitted: 0, closed: 0 };
  for (let round = 0; round < shortOf(16); round++) {
    const arena = Arena.create({ maxPages: 16, policy: { buckets: 4 } });
    const sem = Semaphore.create(0, { arena });
    await withWorkers({ jobs: jobs.rest, seed: session.seed, dump: dumpOf(arena, [sem]) }, async (group) => {
      group.start(8, 'waitForTheEnd', (index) => ({
        semaphore: sem.handle,
        permits: 1 + (index % 2),
        way: WAYS[index % 3],
      }));
      await group.until('8 in line', () => sem.waiting === 8);
      const releases = session.random.below(8);
      for (let released = 0; released < releases; released++) sem.release();
      sem.close();
      for (const result of await group.results<string>()) {
        if (result === 'admitted') tally.admitted += 1;
        else if (result === 'SLUICE_CLOSED') tally.closed += 1;
        else expect.fail(`a waiter ended with ${result}`);
      }
    });
    expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  }
  session.done(shortOf(16) * 8, `${tally.admitted} admitted, ${tally.closed} closed`);
  expect(tally.admitted + tally.closed).toBe(shortOf(16) * 8);
});
