// Tests that a program moves from `RateLimiter`, `KeyedMutex`, `Once` and `Lazy` in memory to those of a space by
// changing only their creation and adding `await`.

import { Lazy, Once } from '@sluice/event';
import { KeyedMutex } from '@sluice/named';
import { RateLimiter } from '@sluice/limit';
import { expect } from 'vitest';
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
import { onServer } from './support/server.ts';

onServer('one program', (it) => {
  it('has the same output with a rate limiter in memory and on the server', async ({ open }) => {
    expect(await rates(RateLimiter.create(RATE))).toEqual(RATES);
    expect(await rates((await open()).rateLimiter('api', RATE))).toEqual(RATES);
  });

  it('has the same output with a keyed mutex in memory and on the server', async ({ open }) => {
    expect(await keys(KeyedMutex.create())).toEqual(KEYS);
    expect(await keys((await open()).keyedMutex('accounts'))).toEqual(KEYS);
  });

  it('has the same output with a once in memory and on the server', async ({ open }) => {
    expect(await onces(Once.create())).toEqual(ONCES);
    expect(await onces((await open()).once('schema'))).toEqual(ONCES);
  });

  it('has the same output with a lazy in memory and on the server', async ({ open }) => {
    expect(await lazies(Lazy.create({ capacity: 64 }))).toEqual(LAZIES);
    expect(await lazies((await open()).lazy('config', { capacity: 64 }))).toEqual(LAZIES);
  });
});
