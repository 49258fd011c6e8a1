// Tests the election for scheduled jobs, over locks and timers of the test.

import { expect, test } from 'vitest';
import type { Timing } from '../src/engine/timing.ts';
import { cronCoordinatorOver } from '../src/primitives/cron-coordinator.ts';

function setup() {
  const locked = new Set<string>();
  const alarms: { readonly ms: number; readonly ring: () => void; readonly ref: boolean }[] = [];
  const locks = {
    tryLock: (key: string) => Promise.resolve(!locked.has(key) && Boolean(locked.add(key))),
    unlock: (key: string) => (locked.delete(key) ? Promise.resolve() : Promise.reject(new Error('the lease was lost'))),
  };
  const timing: Timing = {
    now: () => 0,
    wall: () => 0,
    after: (ms, ring, ref) => {
      alarms.push({ ms, ring, ref });
      return { stop: () => undefined };
    },
  };
  return { locked, alarms, coordinator: cronCoordinatorOver(locks, timing) };
}

test('the first caller runs the job, and no other does until the time has passed', async () => {
  const { alarms, coordinator } = setup();
  expect(await coordinator.shouldRun('job:1', 30_000)).toBe(true);
  expect(await coordinator.shouldRun('job:1', 30_000)).toBe(false);
  expect(await coordinator.shouldRun('job:2', 30_000)).toBe(true);
  expect(alarms.map(({ ms, ref }) => [ms, ref])).toEqual([
    [30_000, false],
    [30_000, false],
  ]);
  alarms[0]?.ring();
  expect(await coordinator.shouldRun('job:1', 30_000)).toBe(true);
});

test.each([Number.NaN, -1, undefined, null, '30000'])(
  'a time of %s is refused, and nothing is locked',
  async (ttlMs) => {
    const { locked, coordinator } = setup();
    await expect(coordinator.shouldRun('job', ttlMs as number)).rejects.toThrow(/^ttlMs must be/);
    expect(locked.size).toBe(0);
  },
);

test('a lock that was lost with its lease is no error when the time has passed', async () => {
  const { locked, alarms, coordinator } = setup();
  await coordinator.shouldRun('job', 1000);
  locked.clear();
  alarms[0]?.ring();
  await Promise.resolve();
  expect(await coordinator.shouldRun('job', 1000)).toBe(true);
});
