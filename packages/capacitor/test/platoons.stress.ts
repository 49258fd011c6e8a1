import { Arena } from '@sluice/core';
import { shortOf, soakSize, Session, withWorkers } from '@sluice/harness';
import { expect, test } from 'vitest';
import type { LockWay } from '../../core/test/jobs/lock-ways.mjs';
import { ASYNC, BLOCKING, LEAVES, arriveInOrder, PATIENT } from './jobs/arrive-in-order.mjs';
import { INSIDE, LENGTH, march, START, WORDS, type MarchData, type MarchResult } from './jobs/platoons.mjs';
import { expectGateAtRest } from './support/gate-at-rest.ts';
import { OrderedArrivals, type ArrivalPlan } from './support/arrive-in-order.ts';
import { brokenPlatoons, createDoor, longestStay } from './support/platoons.ts';

const marching = new URL('./jobs/platoons.mjs', import.meta.url);
const arriving = new URL('./jobs/arrive-in-order.mjs', import.meta.url);

const PLATOONS = 10_000;
const GIVING_UP: readonly LockWay[] = ['lock', 'lock', 'try', 'try for', 'async', 'async for', 'async, aborted'];

interface March {
  readonly workers: number;
  /** B. */
  readonly limit: number;
  readonly lanes?: number;
  readonly ways?: readonly LockWay[];
  readonly platoons?: number;
}

const MARCHES: readonly (readonly [what: string, march: March])[] = [
  ['fewer workers than B', { workers: 3, limit: 6 }],
  ['as many workers as B', { workers: 4, limit: 4 }],
  ['more workers than B', { workers: 6, limit: 2 }],
  ['many more workers than B', { workers: 16, limit: 4, platoons: 2000 }],
  ['one at a time', { workers: 4, limit: 1 }],
  ['workers that time out, more than B', { workers: 6, limit: 3, ways: GIVING_UP, platoons: 2000 }],
  ['workers that time out, fewer than B', { workers: 2, limit: 3, ways: GIVING_UP, platoons: 4000 }],
  ['2 lanes', { workers: 6, limit: 2, lanes: 2 }],
  ['4 lanes, B not a multiple of 4', { workers: 6, limit: 6, lanes: 4, platoons: 5000 }],
  ['2 lanes and workers that time out', { workers: 6, limit: 3, lanes: 2, ways: GIVING_UP, platoons: 2000 }],
  ['4 lanes and workers that time out', { workers: 6, limit: 5, lanes: 4, ways: GIVING_UP, platoons: 2000 }],
];

test.each(MARCHES)('a platoon goes in after all of the previous one have gone out: %s', async (what, row) => {
  const { workers, limit, lanes, ways = ['lock'], platoons = PLATOONS } = row;
  const session = new Session(`platoons: ${what}`);
  const arena = Arena.create({ maxPages: 64, policy: { buckets: 64 } });
  const gate = createDoor(arena, limit, lanes);
  // Whole platoons per worker, so that the last platoon is whole, too.
  const visits = limit * Math.ceil(soakSize(platoons / 5, platoons * 10) / workers);
  const words = new Int32Array(new SharedArrayBuffer(4 * WORDS));
  const stream = new Int32Array(new SharedArrayBuffer(8 * workers * visits));
  const data: MarchData = { gate: gate.handle, most: limit, words, stream, visits, ways: [...ways] };
  const dump = (): unknown => gate.inspect();
  const results = await withWorkers({ jobs: marching, seed: session.seed, dump }, async (group) => {
    group.start<MarchResult>(workers, march.name, () => data);
    await group.said('ready');
    Atomics.store(words, START, 1);
    Atomics.notify(words, START);
    return group.results<MarchResult>();
  });

  const gaveUp = results.reduce((sum, result) => sum + result.gaveUp, 0);
  const longest = longestStay(stream);
  session.done(workers * visits + gaveUp, `${gaveUp} timed out, at most ${longest} of ${limit} came in a row`);
  expect([words[LENGTH], words[INSIDE]]).toEqual([stream.length, 0]);
  expect(longest).toBeLessThanOrEqual(limit);
  // In a lane, a waiter that cancels still uses a permit. So platoons may be smaller.
  if (lanes === undefined || ways.length === 1) expect(brokenPlatoons(stream, limit)).toEqual([]);
  expectGateAtRest(arena, gate);
  gate.free();
});

const STAYING = [BLOCKING, ASYNC, PATIENT];
const ARRIVALS: readonly (readonly [what: string, arriveInOrder: ArrivalPlan])[] = [
  ['one by one', { workers: 6, limit: 1, rounds: 20, ways: STAYING }],
  ['three by three', { workers: 8, limit: 3, rounds: 20, ways: STAYING }],
  ['three by three, of which some cancel', { workers: 12, limit: 3, rounds: 15, ways: [...STAYING, LEAVES] }],
  ['four by four in two lanes', { workers: 9, limit: 4, lanes: 2, rounds: 15, ways: STAYING }],
  [
    'five by five in four lanes, of which some cancel',
    { workers: 12, limit: 5, lanes: 4, rounds: 15, ways: [...STAYING, LEAVES] },
  ],
];

/** Sorts each platoon, which has no order within itself. */
function inPlatoons(order: readonly number[], sizes: readonly number[]): number[][] {
  let at = 0;
  return sizes.map((size) => order.slice(at, (at += size)).sort((a, b) => a - b));
}

test.each(ARRIVALS)('workers are admitted in order of arrival: %s', async (what, row) => {
  const session = new Session(`arrivals in order: ${what}`);
  const arena = Arena.create({ maxPages: 64 });
  const arrivals = new OrderedArrivals(arena, row);
  const { gate } = arrivals;
  const rounds = shortOf(row.rounds);
  const dump = (): unknown => ({ gate: gate.inspect(), order: arrivals.order });
  await withWorkers({ jobs: arriving, seed: session.seed, dump }, async (group) => {
    group.start(row.workers, arriveInOrder.name, () => arrivals.data);
    for (let round = 0; round < rounds; round++) {
      const inside = arrivals.close();
      const { came, leaving } = await arrivals.gather(group, session, row.ways);
      for (let times = 0; times < inside; times++) gate.depart();
      // With lanes, cancelled waiters use up permits.
      const counted = row.lanes === undefined ? came.filter((index) => !leaving.includes(index)) : came;
      const platoons = Array.from({ length: Math.ceil(counted.length / row.limit) }, (_, n) => {
        return counted.slice(n * row.limit, (n + 1) * row.limit).filter((index) => !leaving.includes(index));
      });
      await group.until(
        'all workers have been inside',
        () => arrivals.order.length === platoons.flat().length && gate.empty,
      );
      const sizes = platoons.map(({ length }) => length);
      expect(inPlatoons(arrivals.order, sizes)).toEqual(inPlatoons(platoons.flat(), sizes));
    }
    arrivals.goHome();
    await group.results();
  });
  session.done(rounds * row.workers);
  expectGateAtRest(arena, gate);
  gate.free();
});
