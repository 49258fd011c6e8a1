// Workers run through a keyed limit, take permits of a keyed rate limiter, and are killed. No limit is exceeded, and no
// slot stays taken.

import { Arena, Region } from '@sluice/core';
import { Session, soakSize } from '@sluice/harness';
import { KeyedLimit, KeyedRateLimiter } from '@sluice/named';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { LIMIT_KEYS, MOST_OF_A_KEY, MOST_OF_ALL, PERMITS_TAKEN, WORDS, type LimitsData } from './jobs/limits.mjs';

const JOB = new URL('./jobs/limits.mjs', import.meta.url);
const WORKERS = 4;

function ground(seed: number, rounds: number, isKilled: boolean) {
  const arena = Arena.create({ maxPages: 64 });
  const limit = KeyedLimit.create({ concurrency: 2, total: 3, arena, name: 'limit' });
  const start = performance.now();
  const [permits, interval, burst] = [4, 1, 8];
  const rates = KeyedRateLimiter.create({ permits, interval, burst, arena, name: 'rates' });
  const region = Region.create(4 * WORDS, { arena });
  const dataOf = (worker: number): LimitsData => ({
    limit: limit.handle,
    rates: rates.handle,
    words: region.handle,
    rounds,
    seed: seed + worker,
    isKilled,
  });
  // The limiter may round its start down to a whole ms.
  const most = (): number => LIMIT_KEYS * (burst + ((performance.now() - start + 1) * permits) / interval);
  return { arena, limit, rates, words: region.int32, dataOf, most };
}

test('workers exceed neither the limit of a key nor that of all keys, and take no more permits than the rate allows', async () => {
  const session = new Session('keyed limits');
  const rounds = soakSize(2000, 200_000);
  const { arena, limit, rates, words, dataOf, most } = ground(session.seed, rounds, false);
  await Promise.all(
    Array.from({ length: WORKERS }, (_, index) => once(new Worker(JOB, { workerData: dataOf(index) }), 'exit')),
  );
  expect(Atomics.load(words, PERMITS_TAKEN)).toBeLessThanOrEqual(most());
  expect(Atomics.load(words, MOST_OF_ALL)).toBeLessThanOrEqual(3);
  expect(Atomics.load(words, MOST_OF_A_KEY)).toBeLessThanOrEqual(2);
  expect(limit.inspect()).toMatchObject({ running: 0, waiters: [], keys: [] });
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  limit.free();
  rates.free();
  session.done(WORKERS * rounds);
});

test('workers that are killed give their slots and their places in line back', async () => {
  const session = new Session('killed in keyed limits');
  const rounds = soakSize(5, 300);
  let deaths = 0;
  for (let round = 0; round < rounds; round++) {
    const { arena, limit, rates, words, dataOf } = ground(session.seed + WORKERS * round, Infinity, true);
    const workers = Array.from({ length: WORKERS }, (_, index) => {
      const worker = new Worker(JOB, { workerData: dataOf(index) });
      arena.watch(worker);
      return { worker, exit: once(worker, 'exit') };
    });
    // The workers have begun.
    while (Atomics.load(words, LIMIT_KEYS) === 0) await new Promise((later) => setTimeout(later, 1));
    for (const { worker, exit } of workers) {
      await new Promise((later) => setTimeout(later, 5 + session.random.below(20)));
      await worker.terminate();
      await exit;
      deaths += 1;
    }
    arena.reclaimDead();
    expect(limit.inspect()).toMatchObject({ running: 0, waiters: [], keys: [] });
    // Every slot can be taken, whatever the dead workers did.
    for (let key = 0; key < LIMIT_KEYS; key++) {
      const guards = [await limit.holdAsync(`key ${key}`), await limit.holdAsync(`key ${key}`)];
      expect(limit.tryHold(`key ${key}`)).toBeNull();
      // The third slot of all keys is free, and there is no fourth.
      guards.push(await limit.holdAsync('another'));
      expect(limit.tryHold('a fourth')).toBeNull();
      for (const guard of guards) guard.release();
      await rates.acquireAsync(`key ${key}`, 8, { timeout: 60_000 });
    }
    expect(limit.inspect()).toMatchObject({ running: 0, waiters: [], keys: [] });
    expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
    limit.free();
    rates.free();
  }
  session.done(deaths, `${rounds} rounds`);
});
