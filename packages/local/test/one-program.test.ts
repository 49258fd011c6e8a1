// Tests that a program moves from the primitives of one process to those of a space by changing only their creation and
// adding `await`. The same programs run over Redis.

import { Barrier, CountdownLatch } from '@sluice/barrier';
import { Semaphore } from '@sluice/core';
import { Lazy, Once } from '@sluice/event';
import { RateLimiter } from '@sluice/limit';
import type { Space } from '@sluice/local';
import { KeyedMutex } from '@sluice/named';
import { describe, expect, test } from 'vitest';
import {
  keys,
  KEYS,
  lazies,
  LAZIES,
  onces,
  ONCES,
  RATE,
  rates,
  RATES,
} from '../../remote/test/programs/in-memory-or-remote.ts';
import { PERMITS, PRINTS, rounds, ROUNDS, work } from '../../remote/test/programs/work-and-rounds.ts';
import { makeOpen } from './support/spaces.ts';

describe.each(['the member that serves', 'another member'])('one program at %s', (which) => {
  const open = async (): Promise<Space> => {
    const make = makeOpen();
    const serving = await make();
    return which === 'another member' ? make() : serving;
  };

  test('has the same output with Semaphore.create() and with space.semaphore()', async () => {
    expect(await work(Semaphore.create(PERMITS))).toEqual(PRINTS);
    expect(await work((await open()).semaphore('db', PERMITS))).toEqual(PRINTS);
  });

  test('has the same output with a latch and a barrier in memory and of a space', async () => {
    expect(await rounds((name, count) => CountdownLatch.create(count, { name }), Barrier.create(0))).toEqual(ROUNDS);
    const space = await open();
    expect(await rounds((name, count) => space.countdownLatch(name, count), space.barrier('phase', 0))).toEqual(ROUNDS);
  });

  test('has the same output with a rate limiter in memory and of a space', async () => {
    expect(await rates(RateLimiter.create(RATE))).toEqual(RATES);
    expect(await rates((await open()).rateLimiter('api', RATE))).toEqual(RATES);
  });

  test('has the same output with a keyed mutex in memory and of a space', async () => {
    expect(await keys(KeyedMutex.create())).toEqual(KEYS);
    expect(await keys((await open()).keyedMutex('accounts'))).toEqual(KEYS);
  });

  test('has the same output with a once in memory and of a space', async () => {
    expect(await onces(Once.create())).toEqual(ONCES);
    expect(await onces((await open()).once('schema'))).toEqual(ONCES);
  });

  test('has the same output with a lazy in memory and of a space', async () => {
    expect(await lazies(Lazy.create({ capacity: 64 }))).toEqual(LAZIES);
    expect(await lazies((await open()).lazy('config', { capacity: 64 }))).toEqual(LAZIES);
  });
});
