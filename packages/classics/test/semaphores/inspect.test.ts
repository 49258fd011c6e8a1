// The reports of arena.inspect() on agents that wait for a condition, or for a semaphore built on conditions.

import { inspect } from 'node:util';
import {
  addressSignal,
  addressWaitUntil,
  addressWaitUntilAsync,
  SharedWord,
  waitOnAddress,
  wakeByAddressAll,
} from '@sluice/address-wait';
import { Arena, type Waiting } from '@sluice/core';
import { contextOf } from '@sluice/core/internal';
import { expect, test, vi } from 'vitest';
import { PrioritySemaphore } from '../../../semaphores/src/index.ts';
import { COMPOSITE, MEMBERS, ONE_LINE } from './support/members.ts';

const condition = { kind: 'condition', name: '', address: 0, permits: 0 };

/**
 * Returns the report of a blocking call while it sleeps. Each reading of the clock advances it by a microsecond, so the
 * call sleeps however busy the machine is.
 */
function reportedBy(arena: Arena, wait: () => unknown): readonly Waiting[] | undefined {
  const { parking } = contextOf(arena);
  let found: readonly Waiting[] | undefined;
  let time = 0;
  const clock = vi.spyOn(parking, 'now').mockImplementation(() => (time += 0.001));
  const sleep = vi.spyOn(parking, 'wait').mockImplementation((_address, _expected, timeoutMs) => {
    found = arena.inspect().agents[0]?.waits;
    time += timeoutMs;
    return 'timed-out';
  });
  try {
    wait();
  } finally {
    sleep.mockRestore();
    clock.mockRestore();
  }
  return found;
}

test('inspect() reports a wait on a condition, blocking or async', async () => {
  const arena = Arena.create();
  const word = SharedWord.create(0, { arena });
  expect(reportedBy(arena, () => addressWaitUntil(word, () => false, 5))).toMatchObject([
    { ...condition, how: 'blocking' },
  ]);
  expect(reportedBy(arena, () => waitOnAddress(word, 0, 5))).toMatchObject([{ ...condition, how: 'blocking' }]);
  const before = Date.now();
  const wait = addressWaitUntilAsync(word, () => word.load() === 1);
  const waits = arena.inspect().agents[0]?.waits;
  expect(waits).toMatchObject([{ ...condition, how: 'async' }]);
  expect(waits?.[0]?.since).toBeGreaterThanOrEqual(before);
  word.store(1);
  addressSignal(word);
  wakeByAddressAll(word);
  await wait;
  expect(arena.inspect().agents[0]?.waits).toEqual([]);
});

test.each(ONE_LINE.map((Member) => [Member.name, Member] as const))(
  'inspect() reports a wait at a %s once, with the semaphore',
  async (_, Member) => {
    const arena = Arena.create();
    const sem = Member.create(0, { arena, name: 'files' });
    const wanted = { kind: 'semaphore', name: 'files', address: sem.handle.address, permits: 2 };
    expect(reportedBy(arena, () => sem.tryAcquire(2, 5))).toMatchObject([{ ...wanted, how: 'blocking' }]);
    const wait = sem.acquireAsync(2);
    expect(arena.inspect().agents[0]?.waits).toMatchObject([{ ...wanted, how: 'async' }]);
    sem.release(2);
    await wait;
    expect(arena.inspect().agents[0]?.waits).toEqual([]);
  },
);

test.each(['semaphore', 'waiting-array', 'chain', 'location', 'address'] as const)(
  'inspect() reports a wait at an inner semaphore of kind %s once, with the outer semaphore',
  async (inner) => {
    for (const Composite of COMPOSITE) {
      const arena = Arena.create();
      const sem = Composite.create(0, { arena, inner, name: 'files' });
      const wanted = { kind: 'semaphore', name: 'files', address: sem.handle.address, permits: 1 };
      expect(reportedBy(arena, () => sem.tryAcquire(1, 5))).toMatchObject([{ ...wanted, how: 'blocking' }]);
      const wait = sem.acquireAsync();
      expect(arena.inspect().agents[0]?.waits).toMatchObject([{ ...wanted, how: 'async' }]);
      sem.release();
      await wait;
      expect(arena.inspect().agents[0]?.waits).toEqual([]);
    }
  },
);

test('inspect() of a priority semaphore reports the waiters of each level, those of the highest first', async () => {
  const arena = Arena.create();
  const sem = PrioritySemaphore.create(1, { arena, name: 'files', priority: 2 });
  sem.acquire();
  const waits = [sem.acquireAsync(), sem.acquireAsync(1, { priority: 7 }), sem.acquireAsync()];
  const { holders, waiters, levels, available } = sem.inspect();
  expect([holders.length, waiters.length, available]).toEqual([1, 3, 0]);
  expect(levels.map((level) => level.waiters.length)).toEqual([0, 0, 2, 0, 0, 0, 0, 1]);
  expect(waiters).toEqual([...(levels[7]?.waiters ?? []), ...(levels[2]?.waiters ?? [])]);
  expect(arena.inspect().agents[0]?.waits.map(({ address }) => address)).toEqual(waits.map(() => sem.handle.address));
  sem.release(3);
  await Promise.all(waits);
});

test('a logged semaphore takes one line', () => {
  const arena = Arena.create();
  for (const Member of MEMBERS) {
    expect(inspect(Member.create(1, { arena }), { depth: 5 })).toBe(`${Member.name} { available: 1, waiting: 0 }`);
  }
});
