// Tests that a program moves from `Semaphore` to `space.semaphore` by changing only the creation of its semaphore and
// adding `await`.

import { Barrier, CountdownLatch } from '@sluice/barrier';
import { Semaphore } from '@sluice/core';
import { expect } from 'vitest';
import { PERMITS, PRINTS, rounds, ROUNDS, work } from '../../remote/test/programs/work-and-rounds.ts';
import { onServer } from './support/server.ts';

onServer('one program', (it) => {
  it('has the same output with a latch and a barrier in memory and on the server', async ({ open }) => {
    expect(await rounds((name, count) => CountdownLatch.create(count, { name }), Barrier.create(0))).toEqual(ROUNDS);
    const space = await open();
    expect(await rounds((name, count) => space.countdownLatch(name, count), space.barrier('phase', 0))).toEqual(ROUNDS);
  });

  it('has the same output with Semaphore.create() and with space.semaphore()', async ({ open }) => {
    expect(await work(Semaphore.create(PERMITS))).toEqual(PRINTS);
    expect(await work((await open()).semaphore('db', PERMITS))).toEqual(PRINTS);
  });
});
