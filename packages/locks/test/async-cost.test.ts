import { Arena } from '@sluice/core';
import { contextOf } from '@sluice/core/internal';
import { expect, test } from 'vitest';
import { LifoLock, McsLock, ReciprocatingLock, TicketLock, TtsLock } from '../src/index.ts';

const WAITS = 300;

test.each([LifoLock, McsLock, ReciprocatingLock, TicketLock, TtsLock])('$name: an unlock asks as many async waits of its agent, however many wait', async (Kind) => {
  const arena = Arena.create({ maxPages: 64 });
  const context = contextOf(arena);
  const { kernel } = context;
  let polls = 0;
  const poll: typeof kernel.poll = (...args) => {
    polls += 1;
    return kernel.poll(...args);
  };
  Object.assign(context, { kernel: { ...kernel, poll } });
  const lock = Kind.create({ arena });
  lock.lock();
  const waits = Array.from({ length: WAITS }, () => lock.lockAsync().then(() => lock.unlock()));
  lock.unlock();
  await Promise.all(waits);
  expect(polls).toBeLessThan(10 * WAITS);
});
