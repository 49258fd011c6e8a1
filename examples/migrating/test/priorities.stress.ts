// Tests priorities like those of async-mutex and p-queue: the same cases with each of them and with an adapter.

import { Session } from '@sluice/harness';
import { createLimit } from '@sluice/limit';
import { PrioritySemaphore } from '@sluice/semaphores';
import { Semaphore } from 'async-mutex';
import PQueue from 'p-queue';
import { expect, test } from 'vitest';
import { CASES, settle, WEIGHTED_CASES, type Case, type Prioritized } from './priority-cases.ts';

/** The cases use priorities from -3 to 4. */
const LOWEST = -3;

function overAsyncMutex(permits: number): Prioritized {
  const sem = new Semaphore(permits);
  return {
    acquire: async (priority) => (await sem.acquire(1, priority))[1],
    runExclusive: (body, priority) => sem.runExclusive(() => Promise.resolve(body()), 1, priority),
    waitForUnlock: (priority) => sem.waitForUnlock(1, priority),
    release: () => sem.release(),
    isLocked: () => sem.isLocked(),
    getValue: () => sem.getValue(),
  };
}

function overSluice(permits: number): Prioritized {
  const sem = PrioritySemaphore.create(permits);
  const at = (priority = 0): PrioritySemaphore => sem.at(priority - LOWEST);
  return {
    acquire: async (priority) => {
      const guard = await at(priority).holdAsync();
      return () => guard.release();
    },
    runExclusive: (body, priority) => at(priority).runAsync(body),
    // async-mutex takes no permit here. The waiters behind this one cannot tell the difference.
    waitForUnlock: (priority) => at(priority).runAsync(() => undefined),
    release: () => sem.release(),
    isLocked: () => sem.available === 0,
    getValue: () => sem.available,
  };
}

async function play({ permits, play: act }: Case, make: (permits: number) => Prioritized): Promise<string> {
  const logged: string[] = [];
  await act(make(permits), (what) => logged.push(String(what)));
  return logged.join(' ');
}

test.each(CASES)('async-mutex and a PrioritySemaphore: $name', async (each) => {
  expect(await play(each, overAsyncMutex)).toBe(each.logged);
  expect(await play(each, overSluice)).toBe(each.logged);
});

test.each(WEIGHTED_CASES)(
  'async-mutex has weights of waiters, and a PrioritySemaphore throws for them: $name',
  async ({ calls, logged }) => {
    const sem = new Semaphore(2);
    const order: string[] = [];
    for (const [weight, priority] of calls) {
      void sem.acquire(weight, priority).then(async ([, release]) => {
        order.push(`${weight} of ${priority}`);
        await settle();
        release();
      });
    }
    for (let turns = 0; turns < calls.length; turns++) await settle();
    await settle();
    expect(order.join(', ')).toBe(logged);
    const ours = PrioritySemaphore.create(2);
    const heavy = calls.filter(([weight]) => weight > 1);
    for (const [weight, priority] of heavy)
      await expect(ours.acquireAsync(weight, { priority })).rejects.toMatchObject({ code: 'SLUICE_UNSUPPORTED' });
    expect([ours.available, ours.waiting, heavy.length > 0]).toEqual([2, 0, true]);
  },
);

test('p-queue and createLimit() start random calls in the same order', async () => {
  const session = new Session('limit, priorities beside p-queue');
  const { random } = session;
  for (let round = 0; round < 30; round++) {
    const concurrency = random.between(1, 3);
    const [queue, limit] = [new PQueue({ concurrency }), createLimit(concurrency)];
    const orders: [number[], number[]] = [[], []];
    const gates: (() => void)[][] = [[], []];
    const calls: Promise<unknown>[] = [];
    const hold = (which: 0 | 1, name: number) => (): Promise<void> => {
      orders[which].push(name);
      return new Promise((resolve) => gates[which]?.push(resolve));
    };
    for (let name = 0; name < 40; name++) {
      const priority = random.below(5) - 2;
      calls.push(queue.add(hold(0, name), { priority }), limit.run(hold(1, name), { priority }));
      if (!random.chance(30)) continue;
      await settle();
      for (const waiting of gates) waiting.shift()?.();
      await settle();
    }
    for (let open = 0; open < 40; open++) {
      await settle();
      for (const waiting of gates) waiting.shift()?.();
    }
    await Promise.all(calls);
    expect(orders[1]).toEqual(orders[0]);
  }
  session.done(30 * 40);
});
