// Tests the priority of a task.

import { expect, test } from 'vitest';
import { OPEN } from './jobs/words.mjs';
import { failureOf, until, withPool } from './support/pool.ts';

/** Tasks that record when they begin, and wait until the stage opens. */
const HOLD = { name: 'hold' } as const;

test('tasks of a higher priority begin first, and tasks of one priority in the order of the calls', () =>
  withPool({ ...HOLD, maxQueue: 0 }, async (pool, stage) => {
    const results = [pool.run(0)];
    await until(() => stage.begun === 1);
    for (const [input, priority] of [
      [1, 0],
      [2, 5],
      [3, -1],
      [4, undefined],
      [5, 5],
      [6, 0.5],
    ] as const)
      results.push(pool.run(input, { priority }));
    expect(pool.stats()).toMatchObject({ running: 1, queued: 0, waiting: 6 });
    stage.open();
    expect(await Promise.all(results)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(stage.order).toEqual([0, 2, 5, 6, 1, 4, 3]);
  }));

test('a task of a higher priority begins before the queued tasks, except one that was given to the worker', () =>
  withPool({ ...HOLD, maxQueue: 100 }, async (pool, stage) => {
    const inputs = Array.from({ length: 30 }, (_, n) => n);
    const results = inputs.map((input) => pool.run(input));
    await until(() => stage.begun === 1);
    expect(pool.stats()).toMatchObject({ running: 1, queued: 29, waiting: 0 });
    results.push(pool.run(100, { priority: 1 }), pool.run(101, { priority: 2 }));
    expect(pool.stats()).toMatchObject({ running: 1, queued: 1, waiting: 30 });
    stage.open();
    await Promise.all(results);
    // The first call of the two finds the queue empty, and its task is given to the worker.
    expect(stage.order).toEqual([0, 100, 101, ...inputs.slice(1)]);
  }));

test('tasks of one priority keep their order after many earlier ones were aborted', () =>
  withPool({ ...HOLD, maxQueue: 5 }, async (pool, stage) => {
    const results = [pool.run(0)];
    await until(() => stage.begun === 1);
    // The entries of aborted tasks stay in the buffer. The next tasks get their slots, the last slot first.
    const abort = new AbortController();
    const failures = [1, 2, 3, 4, 5].map((input) => failureOf(pool.run(input, { signal: abort.signal })));
    abort.abort();
    await Promise.all(failures);
    for (const input of [11, 12, 13, 14, 15]) results.push(pool.run(input));
    results.push(pool.run(100, { priority: 1 }));
    stage.open();
    await Promise.all(results);
    expect(stage.order).toEqual([0, 100, 11, 12, 13, 14, 15]);
  }));

test('when no task is left, the queue is FIFO again', () =>
  withPool({ ...HOLD, maxQueue: 10 }, async (pool, stage) => {
    stage.open();
    await Promise.all([pool.run(1, { priority: 3 }), pool.run(2)]);
    Atomics.store(stage.words, OPEN, 0);
    const begun = stage.begun;
    const results = [3, 4, 5, 6].map((input) => pool.run(input));
    await until(() => stage.begun > begun);
    expect(pool.stats()).toMatchObject({ running: 1, queued: 3, waiting: 0 });
    stage.open();
    await Promise.all(results);
    expect(stage.order).toEqual([1, 2, 3, 4, 5, 6]);
  }));

test('tasks in line count as queued, and tryRun() and needsDrain report when the queue is full', () =>
  withPool({ ...HOLD, maxQueue: 4 }, async (pool, stage) => {
    const results: Promise<unknown>[] = [pool.run(0)];
    await until(() => stage.begun === 1);
    for (let input = 1; input < 4; input++) results.push(pool.run(input, { priority: input }));
    expect([pool.needsDrain, pool.queueSize]).toEqual([false, 3]);
    const last = pool.tryRun(4, { priority: 9 });
    expect([pool.needsDrain, pool.tryRun(5, { priority: 10 }), pool.queueSize]).toEqual([true, undefined, 4]);
    results.push(last as Promise<unknown>);
    stage.open();
    await Promise.all(results);
    expect(stage.order).toEqual([0, 1, 4, 3, 2]);
  }));

test('an aborted or timed-out task leaves its priority, and cancelPending() takes all tasks', () =>
  withPool({ ...HOLD, maxQueue: 0 }, async (pool, stage) => {
    const first = pool.run(0);
    await until(() => stage.begun === 1);
    const abort = new AbortController();
    const failures = [pool.run(1, { priority: 2, signal: abort.signal }), pool.run(2, { priority: 2, timeout: 1 })].map(
      failureOf,
    );
    const second = pool.run(3, { priority: 2 });
    abort.abort();
    expect((await Promise.all(failures)).map((failure) => (failure as Error).name)).toEqual([
      'AbortError',
      'TimeoutError',
    ]);
    const cancelled = [second, pool.run(4, { priority: -2 })].map(failureOf);
    expect([pool.cancelPending('enough'), await Promise.all(cancelled)]).toEqual([2, ['enough', 'enough']]);
    stage.open();
    await first;
    expect([stage.order, await pool.run(5)]).toEqual([[0], 5]);
  }));

test.each(['high', null, NaN, 1n])('a priority that is not a number throws: %s', (priority) =>
  withPool({ ...HOLD }, async (pool) => {
    expect(await failureOf(pool.run(1, { priority: priority as number }))).toMatchObject({
      name: 'TypeError',
      message: expect.stringContaining('priority must be a number: received') as string,
    });
    expect(() => pool.tryRun(1, { priority: priority as number })).toThrow(TypeError);
    expect(pool.stats()).toMatchObject({ running: 0, queued: 0, waiting: 0 });
  }),
);
