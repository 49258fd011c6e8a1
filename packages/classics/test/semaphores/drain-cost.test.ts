// The cost of drain(). The tests count kernel steps, and measure no time.

import { Arena } from '@sluice/core';
import { contextOf } from '@sluice/core/internal';
import { describe, expect, test } from 'vitest';
import {
  AddressSemaphore,
  ChainSemaphore,
  LightweightSemaphore,
  MultilaneSemaphore,
  TicketSemaphore,
} from '../../src/index.ts';
import { openAs, secondAgent } from '../../../core/test/support/second-agent.ts';
import { INNER } from './support/members.ts';
import { SEMAPHORES } from '../../src/semaphores/kinds.ts';

const MANY = 2 ** 20;
/** Steps for each lane: one that takes its share, and one of the walk for each lane that gets permits back. */
const STEPS_PER_LANE = 2;
const STEPS_BESIDE = 8;

/** The number of kernel steps that the arena's agent has called. */
function meter(arena: Arena): () => number {
  const context = contextOf(arena);
  let count = 0;
  const steps = Object.entries(context.kernel) as [string, (...args: number[]) => number][];
  const counted = steps.map(([name, step]) => [
    name,
    (...args: number[]): number => {
      count += 1;
      return step(...args);
    },
  ]);
  Object.assign(context, { kernel: Object.fromEntries(counted) as unknown });
  return () => count;
}

describe.each(['ordered', 'random'] as const)('MultilaneSemaphore.drain(), %s', (order) => {
  test.each(INNER)('over %s takes 2^20 permits in as many steps as 100: a few for each lane', (inner) => {
    const costs = [100, MANY].map((permits) => {
      const arena = Arena.create();
      const steps = meter(arena);
      const sem = MultilaneSemaphore.create(0, { arena, inner, order, lanes: 8 });
      // Numbers that do not start with the first lane.
      sem.release(3);
      for (let taken = 0; taken < 3; taken++) sem.acquire();
      sem.release(permits);
      const before = steps();
      expect(sem.drain()).toBe(permits);
      const cost = steps() - before;
      expect([sem.available, sem.tryAcquire(), sem.drain()]).toEqual([0, false, 0]);
      expect(sem.inspect().holders).toMatchObject([{ permits }]);
      sem.release(permits);
      expect([sem.available, sem.tryAcquire()]).toEqual([permits, true]);
      return cost;
    });
    expect(costs[1]).toBe(costs[0]);
    expect(costs[1]).toBeLessThanOrEqual(8 * STEPS_PER_LANE + STEPS_BESIDE);
  });

  test('takes fewer permits than there are lanes one by one', () => {
    const arena = Arena.create();
    const steps = meter(arena);
    const sem = MultilaneSemaphore.create(2, { arena, order, lanes: 1024 });
    const before = steps();
    expect(sem.drain()).toBe(2);
    expect(steps() - before).toBeLessThan(10);
  });
});

test.each([
  ['LightweightSemaphore', (arena: Arena) => LightweightSemaphore.create(MANY, { arena })],
  ['TicketSemaphore', (arena: Arena) => TicketSemaphore.create(MANY, { arena })],
  ['ChainSemaphore', (arena: Arena) => ChainSemaphore.create(MANY, { arena })],
  ['AddressSemaphore', (arena: Arena) => AddressSemaphore.create(MANY, { arena })],
] as const)('%s.drain() takes 2^20 permits in a few steps', (_, create) => {
  const arena = Arena.create();
  const sem = create(arena);
  const steps = meter(arena);
  expect(sem.drain()).toBe(MANY);
  expect(steps()).toBeLessThan(10);
});

/** Runs an action of another agent between two steps of a drain. */
function after(arena: Arena, step: 'beginDrain' | 'drawShare' | 'endDrain', act: () => void): void {
  const context = contextOf(arena);
  const original = context.load(SEMAPHORES).kernel[step] as (...args: number[]) => number;
  let isNext = true;
  const hooked = (...args: number[]): number => {
    const result = original(...args);
    if (isNext) {
      isNext = false;
      act();
    }
    return result;
  };
  Object.assign(context, { kernel: { ...context.kernel, [step]: hooked } });
}

describe.each(['semaphore', 'address'] as const)('a drain of a multilane semaphore over %s', (inner) => {
  test.each(['beginDrain', 'drawShare'] as const)(
    'throws ClosedError when another agent closes the semaphore after %s, and holds nothing',
    (step) => {
      const arena = Arena.create();
      const sem = MultilaneSemaphore.create(50, { arena, inner });
      const theirs = openAs(secondAgent(arena), sem.handle, (handle) => MultilaneSemaphore.from(handle));
      after(arena, step, () => theirs.close());
      expect(() => sem.drain()).toThrow(expect.objectContaining({ code: 'SLUICE_CLOSED' }) as Error);
      expect(sem.inspect().holders).toEqual([]);
    },
  );

  test('takes the remaining permits when another agent takes some after its begin', () => {
    const arena = Arena.create();
    const sem = MultilaneSemaphore.create(1000, { arena, inner });
    const theirs = openAs(secondAgent(arena), sem.handle, (handle) => MultilaneSemaphore.from(handle));
    after(arena, 'beginDrain', () => {
      for (let taken = 0; taken < 10; taken++) theirs.acquire();
    });
    expect([sem.drain(), sem.available, theirs.tryAcquire()]).toEqual([990, 0, false]);
    expect(
      sem
        .inspect()
        .holders.map(({ permits }) => permits)
        .sort((a, b) => a - b),
    ).toEqual([10, 990]);
  });

  test('takes no number back when more agents arrive during it than it would have taken', () => {
    const arena = Arena.create();
    const sem = MultilaneSemaphore.create(3, { arena, inner, lanes: 2 });
    const theirs = openAs(secondAgent(arena), sem.handle, (handle) => MultilaneSemaphore.from(handle));
    const free: number[] = [];
    after(arena, 'drawShare', () => {
      theirs.release(4);
      for (let taken = 0; taken < 4; taken++) theirs.acquire();
    });
    after(arena, 'endDrain', () => free.push(theirs.available));
    expect([sem.drain(), sem.available]).toEqual([3, 0]);
    expect(free).toEqual([3]);
  });

  test("returns a lane's permit for an agent that arrives after the lane gave its share", async () => {
    const arena = Arena.create();
    const sem = MultilaneSemaphore.create(1000, { arena, inner });
    const theirs = openAs(secondAgent(arena), sem.handle, (handle) => MultilaneSemaphore.from(handle));
    let wait: Promise<void> | undefined;
    after(arena, 'drawShare', () => {
      wait = theirs.acquireAsync();
      expect(theirs.waiting).toBe(1);
    });
    expect([sem.drain(), sem.available, sem.waiting]).toEqual([999, 0, 0]);
    await wait;
    expect(theirs.tryAcquire()).toBe(false);
  });
});
