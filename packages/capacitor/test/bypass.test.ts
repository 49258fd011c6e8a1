// The bound: waiters arrive in a known order, and the test counts each agent that gets the lock before an earlier
// waiter.

import { Arena } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { turn } from '../../core/test/support/turn.ts';
import { CapacitorLock, type CapacitorLockOptions } from '../src/index.ts';
import { LIFO, MCS, RECIPROCATING, TTS, type InnerKind } from './support/inner-kinds.ts';
import { gateOf } from './support/routes.ts';
import { renamedHandle } from './support/wrapped.ts';

/** That many agents of this thread, each with its own instance of one lock. */
function crowd(count: number, kind: InnerKind, options: CapacitorLockOptions): CapacitorLock[] {
  const arena = Arena.create({ maxPages: 32, policy: { buckets: 16 } });
  const inner = kind.create(arena);
  const first = CapacitorLock.create(inner, options);
  const others = Array.from({ length: count - 1 }, () =>
    openAs(secondAgent(arena), inner.handle, (handle) =>
      CapacitorLock.from(renamedHandle(first.handle, handle.arena), kind.open(handle)),
    ),
  );
  return [first, ...others];
}

/** The number of later agents that were served before each agent. */
function bypasses(order: readonly number[]): number[] {
  const at = [...order.keys()].sort((a, b) => (order[a] ?? 0) - (order[b] ?? 0));
  return order.map((_, index) => at.slice(index + 1).filter((place) => place < (at[index] ?? 0)).length);
}

/** All agents arrive in turn while the first holds the lock. Then the lock passes from agent to agent. */
async function serve(locks: readonly CapacitorLock[]): Promise<number[]> {
  const order: number[] = [];
  const waits = locks.map((lock, index) =>
    lock.lockAsync({ ref: false }).then(async () => {
      order.push(index);
      // In the meantime the admitted agents arrive at the inner lock.
      await settle();
      lock.unlock();
    }),
  );
  await Promise.all(waits);
  return order;
}

async function settle(): Promise<void> {
  for (let round = 0; round < 3; round++) await turn();
}

const BOUNDS = [1, 2, 3, 10] as const;

describe.each(BOUNDS)('with B = %i', (bypassLimit) => {
  const around = [bypassLimit - 1, bypassLimit, bypassLimit + 1, 2 * bypassLimit + 1];
  const sizes = [...new Set([1, ...around, 25])].filter((size) => size > 0);

  test.each(sizes)(
    'at most B - 1 of %i agents at a LIFO lock overtake a waiter: platoon follows platoon',
    async (agents) => {
      const locks = crowd(agents, LIFO, { bypassLimit });
      const order = await serve(locks);
      expect(Math.max(...bypasses(order))).toBeLessThanOrEqual(bypassLimit - 1);
      for (let first = 0; first < agents; first += bypassLimit) {
        const platoon = Array.from({ length: Math.min(bypassLimit, agents - first) }, (_, index) => first + index);
        const served = order.slice(first, first + bypassLimit);
        expect([...served].sort((a, b) => a - b)).toEqual(platoon);
        // The first agent had the lock before the others of its platoon arrived.
        if (first === 0) expect(served).toEqual([0, ...platoon.slice(1).reverse()]);
      }
      const [lock] = locks;
      if (lock !== undefined) expect(gateOf(lock).empty).toBe(true);
    },
  );

  test.each([TTS, MCS, RECIPROCATING])('at most B - 1 agents overtake a waiter at a $name', async (kind) => {
    const passed = bypasses(await serve(crowd(25, kind, { bypassLimit })));
    expect(Math.max(...passed)).toBeLessThanOrEqual(bypassLimit - 1);
  });

  test('at most B - 1 agents overtake a waiter when callers skip an empty capacitor', async () => {
    const locks = crowd(25, LIFO, { bypassLimit, skipWhenUncontended: true });
    expect(Math.max(...bypasses(await serve(locks)))).toBeLessThanOrEqual(bypassLimit - 1);
  });

  test.runIf(bypassLimit >= 2)('at most B - 1 agents overtake a waiter behind ordered lanes', async () => {
    const locks = crowd(25, LIFO, { bypassLimit, lanes: 2 });
    expect(Math.max(...bypasses(await serve(locks)))).toBeLessThanOrEqual(bypassLimit - 1);
  });

  test('an agent that keeps arriving overtakes a waiter at most B - 1 times, even if it only calls tryLock()', async () => {
    const [greedy, patient, waiter] = crowd(3, LIFO, { bypassLimit });
    if (greedy === undefined || patient === undefined || waiter === undefined) throw new Error('no crowd');
    for (let filled = 1; filled < bypassLimit; filled++) {
      greedy.lock();
      greedy.unlock();
    }
    patient.lock();
    let served = false;
    const wait = waiter.lockAsync({ ref: false }).then(() => (served = true));
    patient.unlock();
    let passes = 0;
    while (passes < bypassLimit && greedy.tryLock()) {
      passes += 1;
      greedy.unlock();
    }
    expect([passes, served]).toEqual([bypassLimit - 1, false]);
    await wait;
    waiter.unlock();
    expect(greedy.tryLock()).toBe(true);
    greedy.unlock();
  });
});

test('B = 1 makes a LIFO lock first come, first served', async () => {
  const order = await serve(crowd(25, LIFO, { bypassLimit: 1 }));
  expect(order).toEqual([...order.keys()]);
});

test('without the capacitor every later agent overtakes the first waiter of a LIFO lock', async () => {
  const order = await serve(crowd(25, LIFO, { fraction: 1 }));
  expect(Math.max(...bypasses(order))).toBe(23);
});
