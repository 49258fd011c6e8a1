// Tests limits and rates of keys, and caches, over a server.

import { KeyedRateLimiter } from '@sluice/named';
import { expect } from 'vitest';
import * as programs from '../../remote/test/programs/keys-and-values.ts';
import { onServer } from './support/server.ts';

onServer('a cache of a space', (it) => {
  it('computes once for a storm of 64 misses', async ({ open }) => {
    expect(await programs.storm(await open(), await open())).toEqual(programs.STORM);
  });

  it('gives a failure to the calls that share it, and lets the waiter of another process compute', async ({ open }) => {
    expect(await programs.failure(await open(), await open())).toEqual(programs.FAILURE);
  });

  for (const changes of ['set', 'delete', 'clear'] as const) {
    it(`does not keep the result of a computation during which ${changes} was called`, async ({ open }) => {
      expect(await programs.change(await open(), await open(), changes)).toEqual(programs.CHANGES[changes]);
    });
  }

  it('lets the next waiter compute when the process that computes leaves', async ({ open }) => {
    expect(await programs.successor(await open(), await open())).toEqual(programs.SUCCESSOR);
  });

  it('refuses a function that waits for the value that it computes', async ({ open }) => {
    expect(await programs.ownValue(await open())).toEqual(programs.OWN_VALUE);
  });

  it('returns a stale value while one caller computes the next', async ({ open }) => {
    expect(await programs.stale(await open(), await open())).toEqual(programs.STALE);
  });

  it('keeps values of each codec until their time is over', async ({ open }) => {
    expect(await programs.values(await open())).toEqual(programs.VALUES);
  });

  it('goes on to compute when a wait ends by its timeout or signal', async ({ open }) => {
    expect(await programs.impatience(await open(), await open())).toEqual(programs.IMPATIENCE);
  });
});

onServer('a keyed limit of a space', (it) => {
  it('runs a bounded number of calls of each key and of all keys', async ({ open }) => {
    expect(await programs.limits(await open(), await open())).toEqual(programs.LIMITS);
  });

  it('does not delay the first call of a key behind the 100 waiting calls of another', async ({ open }) => {
    expect(await programs.fairness(await open(), await open())).toBeLessThanOrEqual(2);
  });

  it('refuses what it cannot give, and takes nothing', async ({ open }) => {
    expect(await programs.refusals(await open(), await open())).toEqual(programs.REFUSALS);
  });
});

onServer('a keyed rate limiter of a space', (it) => {
  it('answers as the one in memory does', async ({ open }) => {
    expect(await programs.keyedRates(KeyedRateLimiter.create(programs.KEYED_RATE))).toEqual(programs.KEYED_RATES);
    const rates = (await open()).keyedRateLimiter('api', programs.KEYED_RATE);
    expect(await programs.keyedRates(rates)).toEqual(programs.KEYED_RATES);
  });

  it('refuses what the server would not keep for long enough', async ({ open }) => {
    expect(await programs.keptForDays(await open())).toEqual(programs.KEPT_FOR_DAYS);
  });
});
