// Tests workers that start with the load and end without it, and workers that are replaced.

import { setTimeout as sleep } from 'node:timers/promises';
import { oneIn } from '@sluice/harness';
import { expect, expectTypeOf, test } from 'vitest';
import { failureOf, Posted, settled, TASKS, until, withPool } from './support/pool.ts';
import type * as tasksModule from './jobs/tasks.mjs';

const lazy = { size: undefined, minThreads: 0, maxThreads: 3 } as const;

test.each(['async', 'sync'] as const)(
  'workers start while tasks wait, up to maxThreads, and end when they are idle (%s)',
  (atomics) =>
    withPool({ ...lazy, atomics, idleTimeout: 30, name: 'block' }, async (pool, stage) => {
      expect(pool.threads).toHaveLength(0);
      const results = [pool.run(1)];
      expect(pool.threads).toHaveLength(1);
      for (let n = 2; n <= 6; n++) results.push(pool.run(n));
      expect(pool.threads).toHaveLength(3);
      await until(() => stage.begun === 3);
      stage.open();
      expect(await Promise.all(results)).toEqual([1, 2, 3, 4, 5, 6]);
      await settled(until(() => pool.threads.length === 0));
      expect(await pool.run(7)).toBe(7);
      expect(pool.stats()).toMatchObject({ completed: 7, failed: 0, replaced: 0 });
    }),
);

test('minThreads workers start at once and stay', () =>
  Posted.during((posted) =>
    withPool({ size: undefined, minThreads: 1, maxThreads: 3, idleTimeout: 20, name: 'hold' }, async (pool, stage) => {
      expect(pool.threads).toHaveLength(1);
      const results = [1, 2, 3].map((input) => pool.run(input));
      await until(() => stage.begun === 3);
      stage.open();
      await Promise.all(results);
      await settled(until(() => pool.threads.length === 1));
      const [last] = pool.threads;
      const before = posted.count('stay');
      await settled(until(() => posted.count('stay') > before));
      expect(pool.threads).toEqual([last]);
      expect(await pool.run(4)).toBe(4);
    }),
  ));

test('a worker with several tasks at a time does not end while one of them runs', () =>
  Posted.during((posted) =>
    withPool(
      { size: undefined, maxThreads: 1, idleTimeout: 0, concurrentTasksPerWorker: 4, name: 'hold' },
      async (pool, stage) => {
        const held = pool.run(1);
        await until(() => stage.begun === 1);
        const [thread] = pool.threads;
        // After each of them the worker would be idle, but for the task that it holds.
        for (let n = 0; n < 5; n++) expect(await settled(pool.run(n, { name: 'double' }))).toBe(2 * n);
        expect([pool.threads, posted.count('leave')]).toEqual([[thread], 0]);
        stage.open();
        expect(await held).toBe(1);
        await settled(until(() => pool.threads.length === 0));
        expect(posted.count('leave')).toBe(1);
      },
    ),
  ));

test('a worker above minThreads stays for ten seconds without the option idleTimeout', () =>
  Posted.during((posted) =>
    withPool({ ...lazy }, async (pool) => {
      await pool.run(1);
      expect(posted.messages).toContainEqual(expect.objectContaining({ number: 1, idleTimeout: 10_000 }));
    }),
  ));

test.each([0, 1, 5])('tasks that are queued while workers end all complete (idleTimeout %i)', (idleTimeout) =>
  withPool({ ...lazy, idleTimeout }, async (pool) => {
    for (let n = 0; n < 60; n++) {
      expect(await settled(pool.run(n))).toBe(n);
      if (n % 3 === 0) await sleep(n % 7);
    }
    expect(await settled(pool.map(Array.from({ length: 50 }, (_, n) => n)))).toHaveLength(50);
    expect(pool.stats()).toMatchObject({ completed: 110, failed: 0, replaced: 0 });
    await pool.close();
  }),
);

test('a dead worker above minThreads is replaced only while there are tasks', () =>
  withPool({ ...lazy, retry: 1 }, async (pool) => {
    expect(await settled(failureOf(pool.run('exit', { name: 'die' })))).toMatchObject({ code: 'SLUICE_WORKER_DIED' });
    expect(await settled(pool.run(3))).toBe(3);
    expect(await settled(pool.run(1, { name: 'dieAtFirst' }))).toBe(2);
  }));

test('a pool without minThreads that never had a task can be closed', () =>
  withPool({ ...lazy }, (pool) => settled(pool.close())));

const WAYS: readonly (readonly [way: string, options: object])[] = [
  ['one task at a time', {}],
  ['several tasks at a time', { concurrentTasksPerWorker: 3 }],
  ['waiting blocked', { atomics: 'sync' }],
];

test.each(oneIn(3, WAYS))('a worker is replaced after a number of tasks, and no task is lost: %s', (_, options) =>
  withPool({ ...options, maxTasksPerWorker: 5, name: 'workerId' }, async (pool) => {
    const ids: number[] = [];
    for (let n = 0; n < 23; n++) ids.push((await settled(pool.run(n))) as number);
    const times = countOf(ids);
    for (const count of [...times.values()].slice(0, -1)) expect(count).toBe(5);
    expect(times.size).toBe(5);
    expect(
      await pool.map(
        Array.from({ length: 40 }, (__, n) => n),
        { name: 'double' },
      ),
    ).toHaveLength(40);
    expect(pool.stats()).toMatchObject({ completed: 63, failed: 0, replaced: 0 });
    await settled(until(() => pool.threads.length === 1));
    await pool.close();
  }),
);

test('a worker that runs several tasks at a time takes no more tasks after its last allowed one has ended', () =>
  withPool({ concurrentTasksPerWorker: 2, maxTasksPerWorker: 1, name: 'computeThenId' }, async (pool) => {
    // Longer than a worker runs tasks without a turn of its event loop. So the task ends while the loop turns.
    const ids = await settled(Promise.all([1, 2, 3, 4].map(() => pool.run(20))));
    expect(new Set(ids as number[]).size).toBe(4);
  }));

function countOf(ids: readonly number[]): Map<number, number> {
  const times = new Map<number, number>();
  for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1);
  return times;
}

test('a worker whose heap has grown is replaced', () =>
  withPool({ maxHeapPerWorker: 40 }, async (pool) => {
    expect(await pool.run(1, { name: 'keepMemory' })).toBe(1);
    expect(await pool.run(1, { name: 'keepMemory' })).toBe(2);
    expect(await pool.run(60, { name: 'keepMemory' })).toBe(3);
    // The new worker has a small heap.
    expect(await settled(pool.run(1, { name: 'keepMemory' }))).toBe(1);
    expect(pool.stats()).toMatchObject({ replaced: 0 });
  }));

test('needsDrain reports whether the next task would wait', () =>
  withPool({ maxQueue: 1, name: 'hold' }, async (pool, stage) => {
    const drained = new Promise((resolve) => pool.once('drain', () => resolve(undefined)));
    expect(pool.needsDrain).toBe(false);
    const results = [pool.run(1), pool.run(2)];
    expect(pool.needsDrain).toBe(true);
    stage.open();
    await Promise.all(results);
    await drained;
    expect(pool.needsDrain).toBe(false);
  }));

test('functions of a file are called by name, with their types', () =>
  withPool({}, async (pool) => {
    const tasks = pool.functions<typeof tasksModule>();
    const doubled = await tasks.run('double', 4);
    expectTypeOf(doubled).toEqualTypeOf<number>();
    expect(doubled).toBe(8);
    expect(await tasks.map('double', [1, 2])).toEqual([2, 4]);
    expect(await tasks.tryRun('text', 2)).toBe('ää');
    expect(await tasks.run('smallBuffer', undefined)).toHaveLength(3);
    expect(await failureOf(tasks.run('spin', 1, { timeout: 100 }))).toMatchObject({ code: 'SLUICE_TIMEOUT' });
    // @ts-expect-error a string is not a number
    expect(await tasks.run('double', 'x')).toBeNaN();
    // @ts-expect-error the function does not exist
    expect(await failureOf(tasks.run('dubble', 1))).toMatchObject({ code: 'SLUICE_TASK_FILE' });
    const inOther = pool.functions<typeof tasksModule>({ filename: TASKS, timeout: 50 });
    expect(await failureOf(inOther.run('spin', 1))).toMatchObject({ code: 'SLUICE_TIMEOUT' });
  }));

test('the options of a typed function are checked when a task runs', () =>
  withPool({}, async (pool) => {
    expect(
      await failureOf(pool.functions<typeof tasksModule>({ timeoutMs: 5 } as never).run('double', 1)),
    ).toBeInstanceOf(TypeError);
  }));

test.each(['async', 'sync'] as const)(
  'an idle worker of minThreads sleeps between its questions whether to end, with an idleTimeout of 0 too (%s)',
  (atomics) =>
    Posted.during((posted) =>
      withPool({ size: undefined, minThreads: 1, maxThreads: 1, idleTimeout: 0, atomics, name: 'hold' }, async () => {
        await settled(until(() => posted.count('stay') > 0));
        const began = performance.now();
        const before = posted.count('stay');
        await settled(until(() => posted.count('stay') === before + 10));
        // 25 ms each, of which a timer may leave out some. A busy machine only makes it longer.
        expect(performance.now() - began).toBeGreaterThan(150);
      }),
    ),
);
