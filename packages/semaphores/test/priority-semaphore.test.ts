// Tests the promises of a priority semaphore in addition to those of all semaphores.

import { Arena } from '@sluice/core';
import { Session } from '@sluice/harness';
import { describe, expect, test } from 'vitest';
import { engineNamed } from '../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { turn } from '../../core/test/support/turn.ts';
import { PrioritySemaphore } from '../src/index.ts';
import './support/kinds.ts';

const HIGHEST = 7;

describe.each(['wasm', 'js'] as const)('a priority semaphore (%s)', (engine) => {
  const create = (
    permits: number,
    options: { ageing?: number; max?: number; priority?: number } = {},
  ): PrioritySemaphore =>
    PrioritySemaphore.create(permits, {
      arena: Arena.create({ engine: engineNamed(engine), maxPages: 64 }),
      ...options,
    });

  /** Waits that record the order in which they were served. */
  function waitsAt(
    sem: PrioritySemaphore,
    priorities: readonly number[],
  ): { readonly order: string[]; readonly all: Promise<unknown> } {
    const order: string[] = [];
    const waits = priorities.map((priority, at) =>
      sem.acquireAsync(1, { priority }).then(() => order.push(`${priority}.${at}`)),
    );
    return { order, all: Promise.all(waits) };
  }

  test('acquire() serves the highest priority first, and each priority in order of arrival', async () => {
    const sem = create(0);
    const { order, all } = waitsAt(sem, [0, 7, 3, 7, 0, 5, 3]);
    for (let given = 0; given < 7; given++) {
      sem.release();
      await turn();
    }
    await all;
    expect(order).toEqual(['7.1', '7.3', '5.5', '3.2', '3.6', '0.0', '0.4']);
  });

  test('neither a waiter nor tryAcquire() overtakes a waiter of a higher priority whose permit is on its way', async () => {
    const sem = create(1);
    sem.acquire();
    const { order, all } = waitsAt(sem, [4, 2]);
    sem.release();
    expect([sem.tryAcquire(1, 0, HIGHEST), sem.available, sem.waiting]).toEqual([false, 0, 1]);
    sem.release();
    await all;
    expect(order).toEqual(['4.0', '2.1']);
  });

  test('the instances of at() share the permits, and each has its own priority', async () => {
    const sem = create(1, { priority: 2 });
    const high = sem.at(HIGHEST);
    expect([sem.priority, high.priority, high.at(0).priority, sem.ageing, high.ageing]).toEqual([
      2,
      HIGHEST,
      0,
      16,
      16,
    ]);
    const guard = sem.hold();
    const order: string[] = [];
    const waits = [
      sem.runAsync(() => order.push('own')),
      high.runAsync(() => order.push('high')),
      high
        .asLock()
        .lockAsync()
        .then(() => order.push('lock')),
    ];
    expect(sem.inspect().levels.map(({ waiters }) => waiters.length)).toEqual([0, 0, 1, 0, 0, 0, 0, 2]);
    guard.release();
    await waits[2];
    high.release();
    await Promise.all(waits);
    expect(order).toEqual(['high', 'lock', 'own']);
  });

  test('holdAsync() and runAsync() accept a priority', async () => {
    const sem = create(1);
    const guard = sem.hold();
    const order: string[] = [];
    const waits = [
      sem.runAsync(() => order.push('usual')),
      sem.holdAsync(1, { priority: 5 }).then((held) => {
        order.push('hold');
        held.release();
      }),
      sem.runAsync(() => order.push('run'), 1, { priority: HIGHEST }),
    ];
    expect(sem.inspect().levels.map(({ waiters }) => waiters.length)).toEqual([1, 0, 0, 0, 0, 1, 0, 1]);
    guard.release();
    await Promise.all(waits);
    expect(order).toEqual(['run', 'hold', 'usual']);
  });

  test('tryAcquire() takes several permits at once, all or none', () => {
    const sem = create(3);
    expect([sem.tryAcquire(4), sem.tryAcquire(2), sem.tryAcquire(2), sem.available]).toEqual([false, true, false, 1]);
    sem.release(2);
    expect([sem.drain(), sem.available]).toEqual([3, 0]);
  });

  test('the first waiter of a priority is passed over at most ageing * (7 - p) + 7 times, and the lowest nearly as often', async () => {
    for (const [ageing, priority] of [
      [1, 0],
      [1, 7],
      [2, 3],
      [3, 0],
      [16, 5],
    ] as const) {
      const sem = create(0, { ageing });
      const other = openAs(secondAgent(sem.arena), sem.handle, (handle) => PrioritySemaphore.from(handle));
      const seen = { isServed: false };
      const wait = sem.acquireAsync(1, { priority }).then(() => (seen.isServed = true));
      // Two waiters of each other priority at every moment.
      const levels = [0, 1, 2, 3, 4, 5, 6, 7].filter((level) => level !== priority);
      const keep = (level: number): void =>
        void other.acquireAsync(1, { priority: level }).then(
          () => keep(level),
          () => undefined,
        );
      for (const level of [...levels, ...levels]) keep(level);
      let passes = 0;
      for (; passes < 1000; passes++) {
        other.release();
        await turn();
        if (seen.isServed) break;
      }
      expect(passes).toBeLessThanOrEqual(ageing * (HIGHEST - priority) + HIGHEST);
      expect(passes).toBeGreaterThanOrEqual(ageing * (HIGHEST - priority));
      await wait;
      sem.close();
    }
  });

  test('10,000 cancelled async waits leave few elements, and none after the next release', async () => {
    const sem = create(0);
    const first = sem.acquireAsync();
    const controllers = Array.from({ length: 10 }, () => new AbortController());
    const waits = Array.from({ length: 10_000 }, (_, at) =>
      sem
        .acquireAsync(1, { signal: (controllers[at % 10] as AbortController).signal, priority: at % 8 })
        .catch(() => 'left'),
    );
    const patient = [3, 7].map((priority) => sem.acquireAsync(1, { priority }));
    for (const controller of controllers) controller.abort();
    await Promise.all(waits);
    expect(sem.waiting).toBe(3);
    expect(sem.inspect().abandoned).toBeLessThan(1000);
    sem.release(3);
    await Promise.all([first, ...patient]);
    expect(sem.arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  });

  test('a blocking waiter is served by its priority', () => {
    const sem = create(1, { priority: 1 });
    expect([sem.tryAcquire(1, 1), sem.tryAcquire(1, 1, HIGHEST), sem.available]).toEqual([true, false, 0]);
    sem.release();
    sem.acquire(1, 4);
    sem.release();
    expect(sem.run(() => sem.available)).toBe(0);
  });
});

interface Arrivals {
  readonly ageing: number;
  /** The priority of the waiter whose passes are counted. */
  readonly priority: number;
  /** The number of permits released before that waiter arrives. */
  readonly before: number;
  /** Whether a waiter of another priority arrives before the next release. */
  readonly comes: (level: number) => boolean;
}

/** Returns the number of permits that went to other priorities while one waiter, the first of its priority, waited. */
async function passesOf(arena: Arena, { ageing, priority, before, comes }: Arrivals): Promise<number> {
  const sem = PrioritySemaphore.create(0, { arena, ageing });
  const served: number[] = [];
  const isServed = (): boolean => served.length > 0;
  const others: Promise<unknown>[] = [];
  const come = (): void => {
    for (let level = 0; level <= HIGHEST; level++)
      if (level !== priority && comes(level)) others.push(sem.acquireAsync(1, { priority: level, ref: false }));
  };
  const give = async (): Promise<void> => {
    if (sem.waiting > 0) sem.release();
    await turn();
  };
  come();
  for (let left = before; left > 0; left--) {
    await give();
    come();
  }
  const waited = sem.acquireAsync(1, { priority }).then(() => served.push(1));
  let passes = -1;
  for (; !isServed(); passes++) {
    await give();
    if (!isServed()) come();
  }
  sem.close();
  await Promise.allSettled([waited, ...others]);
  sem.free();
  return passes;
}

test('no schedule of arrivals passes a waiter over more often than the bound', async () => {
  const ROUNDS = 250;
  const session = new Session('priority semaphore, the bound of the ageing');
  const { random } = session;
  const arena = Arena.create({ maxPages: 64 });
  for (let round = 0; round < ROUNDS; round++) {
    const [ageing, priority] = [random.between(1, 4), random.chance(40) ? HIGHEST : random.below(HIGHEST)];
    const fill = random.chance(50) ? 100 : random.between(5, 60);
    const passes = await passesOf(arena, {
      ageing,
      priority,
      before: random.below(20),
      comes: () => random.chance(fill),
    });
    expect(passes).toBeLessThanOrEqual(ageing * (HIGHEST - priority) + HIGHEST);
  }
  session.done(ROUNDS, 'schedules');
});

test('one schedule passes a waiter of the highest priority over nearly as often as the bound', async () => {
  const arena = Arena.create({ maxPages: 64 });
  let most = 0;
  for (const ageing of [1, 2, 3, 4]) {
    for (let before = 0; before < 20; before++)
      most = Math.max(most, await passesOf(arena, { ageing, priority: HIGHEST, before, comes: () => true }));
  }
  expect(most).toBeGreaterThanOrEqual(HIGHEST - 2);
});
