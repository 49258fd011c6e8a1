// Tests workers that run tasks and may run more. They sleep until a task is queued.

import { expect, test } from 'vitest';
import { turn } from '../../core/test/support/turn.ts';
import { PoolEventCount, TaskListener } from '../src/shared/event-count.ts';
import { ownArena, settled, until, withPool } from './support/pool.ts';

const SLEEP_MS = 300;
/** There is one check each 20 ms, and its timer. With a check each ms there would be far more turns. */
const MS_PER_TURN = 5;
/** The turns in which the task begins and ends. */
const OTHER_TURNS = 40;

test('a worker whose tasks all wait keeps its event loop idle while it could take one more', () =>
  withPool({ concurrentTasksPerWorker: 2, name: 'turnsDuring' }, async (pool) => {
    const { turns, took } = (await pool.run(SLEEP_MS)) as { turns: number; took: number };
    expect(turns).toBeGreaterThan(0);
    expect(turns).toBeLessThan(OTHER_TURNS + took / MS_PER_TURN);
  }));

test('a worker with a waiting task begins another one while the caller blocks', () =>
  withPool({ concurrentTasksPerWorker: 2, name: 'hold' }, async (pool, stage) => {
    const first = pool.run(1);
    await until(() => stage.begun === 1);
    for (let n = 2; n < 50; n++) {
      const beside = pool.run(n, { name: 'default' });
      expect(await settled(beside)).toBe(n);
    }
    const second = pool.run(50);
    while (stage.begun < 2); // without a turn of this event loop
    stage.open();
    expect(await Promise.all([first, second])).toEqual([1, 50]);
  }));

test('another worker with a waiting task begins a task if the worker that was woken for it dies', () =>
  withPool({ size: 2, concurrentTasksPerWorker: 2, name: 'hold', retry: 9 }, async (pool, stage) => {
    const held = [1, 2].map((n) => pool.run(n));
    await until(() => stage.begun === 2);
    for (let n = 3; n < 9; n++) {
      const beside = pool.run(n, { name: 'default' });
      // Terminate it at once: the notification may have reached this worker.
      const ended = pool.threads[0]?.terminate();
      expect(await settled(beside)).toBe(n);
      await ended;
    }
    stage.open();
    await Promise.allSettled(held);
  }));

test('a pool can be destroyed while its workers sleep on the event count, and the next pool reuses its memory', async () => {
  const { arena, used } = ownArena();
  for (let round = 0; round < 5; round++) {
    await withPool({ arena, size: 2, concurrentTasksPerWorker: 2, name: 'hold' }, async (pool, stage) => {
      const held = Promise.allSettled([1, 2].map((n) => pool.run(n)));
      await until(() => stage.begun === 2);
      expect(await settled(pool.run(round, { name: 'default' }))).toBe(round);
      await settled(pool.destroy());
      expect((await held).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    });
    await settled(until(() => used().length === 0));
  }
});

test('two pools of one arena notify only their own workers', async () => {
  const { arena } = ownArena();
  const options = { arena, size: 1, concurrentTasksPerWorker: 2, name: 'hold' } as const;
  await withPool(options, (one, stage) =>
    withPool(options, async (other, otherStage) => {
      const held = [one.run(1), other.run(2)];
      await until(() => stage.begun + otherStage.begun === 2);
      for (let n = 3; n < 30; n++)
        expect(await settled((n % 2 === 0 ? one : other).run(n, { name: 'default' }))).toBe(n);
      stage.open();
      otherStage.open();
      expect(await settled(Promise.all(held))).toEqual([1, 2]);
    }),
  );
});

/** Creates words and a parking in this thread. `notify` ends the longest sleeps. */
class Sleepers {
  count = 0;
  readonly sleeping: (() => void)[] = [];
  readonly eventCount: PoolEventCount;

  constructor() {
    const words = { load32: () => this.count, add32: (_: number, delta: number) => (this.count += delta) - delta };
    const notify = (_: number, most = Infinity): number => {
      const woken = this.sleeping.splice(0, most);
      for (const wake of woken) wake();
      return woken.length;
    };
    const waitAsync = (_: number, expected: number): Promise<void> | undefined =>
      expected === this.count ? new Promise((resolve) => this.sleeping.push(resolve)) : undefined;
    this.eventCount = new PoolEventCount(words, { wait: () => 'ok', waitAsync, notify }, 0);
  }

  makeListener(hasTask = true): { readonly listener: TaskListener; readonly heard: () => number } {
    let heard = 0;
    const listener = new TaskListener(this.eventCount, { onNotify: () => (heard += 1), hasTask: () => hasTask });
    return { listener, heard: () => heard };
  }
}

test('a notification wakes one listening worker', async () => {
  const sleepers = new Sleepers();
  const [one, other] = [sleepers.makeListener(), sleepers.makeListener()];
  for (const { listener } of [one, other]) expect(listener.listen(0)).toBe(true);
  sleepers.eventCount.notify();
  await turn();
  expect([one.heard(), other.heard()]).toEqual([1, 0]);
});

test('a worker does not sleep when a task was queued after it had read the notifications', () => {
  const sleepers = new Sleepers();
  const { listener } = sleepers.makeListener();
  sleepers.eventCount.notify();
  expect(listener.listen(0)).toBe(false);
  expect(listener.listen(1)).toBe(true);
});

test('a worker that listens several times sleeps once and wakes at the next notification', async () => {
  const sleepers = new Sleepers();
  const { listener, heard } = sleepers.makeListener();
  for (let n = 0; n < 5; n++) {
    expect(listener.listen(0)).toBe(true);
    listener.stopListening();
  }
  listener.listen(0);
  expect(sleepers.sleeping).toHaveLength(1);
  sleepers.eventCount.notify();
  await turn();
  expect(heard()).toBe(1);
});

test.each([true, false])(
  'a notification for a worker that does not listen wakes the next one if a task is queued (%s)',
  async (hasTask) => {
    const sleepers = new Sleepers();
    const [busy, next] = [sleepers.makeListener(hasTask), sleepers.makeListener()];
    for (const { listener } of [busy, next]) listener.listen(0);
    busy.listener.stopListening();
    sleepers.eventCount.notify();
    await turn();
    expect([busy.heard(), next.heard()]).toEqual([0, hasTask ? 1 : 0]);
  },
);
