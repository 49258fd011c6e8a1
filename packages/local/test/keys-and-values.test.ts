// Tests limits and rates of keys, and caches, between processes.

import { KeyedRateLimiter } from '@sluice/named';
import type { Space } from '@sluice/local';
import { describe, expect, test } from 'vitest';
import * as programs from '../../remote/test/programs/keys-and-values.ts';
import { makeOpen } from './support/spaces.ts';

describe.each(['the member that serves', 'another member'])('keys and values at %s', (which) => {
  const two = async (): Promise<[Space, Space]> => {
    const make = makeOpen();
    const serving = await make();
    return which === 'another member' ? [await make(), await make()] : [serving, await make()];
  };

  test('a storm of 64 misses computes once', async () => {
    expect(await programs.storm(...(await two()))).toEqual(programs.STORM);
  });

  test('a failure goes to the calls that share it, and the waiter of another process computes', async () => {
    expect(await programs.failure(...(await two()))).toEqual(programs.FAILURE);
  });

  test.each(['set', 'delete', 'clear'] as const)('%s during a computation: its result is not kept', async (changes) => {
    expect(await programs.change(...(await two()), changes)).toEqual(programs.CHANGES[changes]);
  });

  test('a function that waits for the value that it computes is refused', async () => {
    const [space] = await two();
    expect(await programs.ownValue(space)).toEqual(programs.OWN_VALUE);
  });

  test('the next waiter computes when the process that computes leaves', async () => {
    expect(await programs.successor(...(await two()))).toEqual(programs.SUCCESSOR);
  });

  test('a stale value is returned while one caller computes the next', async () => {
    expect(await programs.stale(...(await two()))).toEqual(programs.STALE);
  });

  test('a cache keeps values of each codec until their time is over', async () => {
    expect(await programs.values((await two())[1])).toEqual(programs.VALUES);
  });

  test('a wait ends by its timeout or signal, and the computation goes on', async () => {
    expect(await programs.impatience(...(await two()))).toEqual(programs.IMPATIENCE);
  });

  test('a keyed limit bounds the calls of each key and of all keys', async () => {
    expect(await programs.limits(...(await two()))).toEqual(programs.LIMITS);
  });

  test('a key with 100 waiting calls does not delay the first call of another', async () => {
    expect(await programs.fairness(...(await two()))).toBeLessThanOrEqual(2);
  });

  test('a keyed limit refuses what it cannot give, and takes nothing', async () => {
    expect(await programs.refusals(...(await two()))).toEqual(programs.REFUSALS);
  });

  test('a keyed rate limiter answers as the one in memory does', async () => {
    expect(await programs.keyedRates(KeyedRateLimiter.create(programs.KEYED_RATE))).toEqual(programs.KEYED_RATES);
    const [, space] = await two();
    expect(await programs.keyedRates(space.keyedRateLimiter('api', programs.KEYED_RATE))).toEqual(programs.KEYED_RATES);
  });

  test('a keyed rate limiter refuses what the server would not keep for long enough', async () => {
    expect(await programs.keptForDays((await two())[1])).toEqual(programs.KEPT_FOR_DAYS);
  });
});
