// Tests when a party spins before it sleeps. One agent arrives by its step and does not go on.

import { Arena } from '@sluice/core';
import { openPrimitive } from '@sluice/core/internal';
import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { coreCount } from '../src/cores.ts';
import { Barrier } from '../src/index.ts';
import { AWAKE } from '../src/kernel/outcomes.ts';
import { BARRIER, type BarrierKernel } from '../src/kinds.ts';

/** Arrives at a barrier of `parties`, on `cores` cores, and spins if at most `near` others are missing. */
function arrive(parties: number, near: number, cores: number): number {
  const arena = Arena.create({ maxPages: 8 });
  const { handle } = Barrier.create(parties, { arena });
  const { context, address } = openPrimitive(handle, BARRIER);
  const { tag, entry } = context.lineState(address, handle.tag, { recorded: true });
  context.refill();
  return (context.kernel as BarrierKernel).arriveAtBarrierToSleep(
    address,
    tag,
    context.agent,
    entry,
    0,
    near,
    cores,
    0,
    context.pendingSeen,
  );
}

test.each([
  { parties: 2, near: 1, cores: 2 },
  { parties: 2, near: 1, cores: 16 },
  { parties: 3, near: 2, cores: 3 },
])('with a core for each of $parties parties, a party that misses $near others spins', ({ parties, near, cores }) => {
  expect(arrive(parties, near, cores)).toBe(AWAKE);
});

test.each([
  { parties: 2, near: 1, cores: 1 },
  { parties: 3, near: 2, cores: 2 },
  { parties: 3, near: 1, cores: 16 },
  { parties: 2, near: 0, cores: 16 },
])('with $parties parties on $cores cores, a party that spins for $near others sleeps at once', (setting) => {
  expect(arrive(setting.parties, setting.near, setting.cores)).toBeGreaterThanOrEqual(0);
});

test('the number of cores is that of the system', () => {
  expect(coreCount()).toBe(availableParallelism());
});
