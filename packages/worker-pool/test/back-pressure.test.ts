import { expect, test } from 'vitest';
import { failureOf, PoolClosedError, TASKS, until, withPool, WorkerPool } from './support/pool.ts';

test('tasks begin in the order of the calls', () =>
  withPool({ maxQueue: 3, name: 'hold' }, async (pool, stage) => {
    const inputs = Array.from({ length: 20 }, (_, n) => n);
    const results = inputs.map((input) => pool.run(input));
    stage.open();
    expect(await Promise.all(results)).toEqual(inputs);
    expect(stage.order).toEqual(inputs);
  }));

test('several workers begin tasks in the order of the calls', () =>
  withPool({ size: 3, name: 'hold', maxQueue: 30 }, async (pool, stage) => {
    const results = Array.from({ length: 12 }, (_, n) => pool.run(n));
    await until(() => stage.begun === 3);
    expect(stage.order.toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
    stage.open();
    await Promise.all(results);
  }));

test.each([
  [0, { running: 1, queued: 0, waiting: 3 }],
  [1, { running: 1, queued: 1, waiting: 2 }],
  [2, { running: 1, queued: 2, waiting: 1 }],
  [3, { running: 1, queued: 3, waiting: 0 }],
])('calls beyond a queue of %i wait', (maxQueue, found) =>
  withPool({ maxQueue, name: 'hold' }, async (pool, stage) => {
    const results = [1, 2, 3, 4].map((input) => pool.run(input));
    await until(() => stage.begun === 1);
    expect(pool.stats()).toMatchObject(found);
    expect(pool.queueSize).toBe(3);
    stage.open();
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4]);
    expect(stage.order).toEqual([1, 2, 3, 4]);
    expect(pool.stats()).toMatchObject({ running: 0, queued: 0, waiting: 0, completed: 4, failed: 0 });
  }),
);

test('tryRun() returns undefined when the queue is full, and no task begins', () =>
  withPool({ maxQueue: 1, name: 'hold' }, async (pool, stage) => {
    const results = [pool.tryRun(1), pool.tryRun(2)];
    expect(pool.tryRun(3)).toBeUndefined();
    stage.open();
    expect([await results[0], await results[1]]).toEqual([1, 2]);
    expect(stage.order).toEqual([1, 2]);
    expect(await pool.tryRun(4)).toBe(4);
  }));

test('tryRun() never overtakes a waiting call of run()', () =>
  withPool({ maxQueue: 0, name: 'hold' }, async (pool, stage) => {
    const results = [pool.run(1), pool.run(2)];
    expect(pool.tryRun(3)).toBeUndefined();
    stage.open();
    await Promise.all(results);
  }));

test('the next waiting call gets the place of an aborted waiting call', () =>
  withPool({ maxQueue: 0, name: 'hold' }, async (pool, stage) => {
    const abort = new AbortController();
    const first = pool.run(1);
    const aborted = failureOf(pool.run(2, { name: 'hold', signal: abort.signal }));
    const third = pool.run(3);
    await until(() => stage.begun === 1);
    abort.abort('no more');
    expect(await aborted).toBe('no more');
    expect(pool.queueSize).toBe(1);
    stage.open();
    expect(await Promise.all([first, third])).toEqual([1, 3]);
    expect(stage.order).toEqual([1, 3]);
    expect(await pool.tryRun(4)).toBe(4);
  }));

test('a worker runs as many tasks at a time as concurrentTasksPerWorker', () =>
  withPool({ concurrentTasksPerWorker: 3, name: 'hold' }, async (pool, stage) => {
    const results = [1, 2, 3, 4].map((input) => pool.run(input));
    await until(() => stage.begun === 3);
    expect(pool.stats()).toMatchObject({ running: 3, queued: 1 });
    stage.open();
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4]);
  }));

test('workers that block between tasks also run tasks', () =>
  withPool({ atomics: 'sync', size: 2 }, async (pool) => {
    for (let n = 0; n < 20; n++) expect(await pool.run(n, { name: 'double' })).toBe(2 * n);
  }));

test('the constructor refuses blocking workers together with several tasks at a time', () => {
  expect(() => new WorkerPool({ filename: TASKS, atomics: 'sync', concurrentTasksPerWorker: 2 })).toThrow(
    "atomics 'sync' goes with one task per worker: received concurrentTasksPerWorker 2",
  );
});

test('tryRun() throws for invalid arguments even when the queue is full', () =>
  withPool({ maxQueue: 0, name: 'hold' }, async (pool, stage) => {
    const held = [pool.run(1), failureOf(pool.run(2))];
    await until(() => stage.begun === 1);
    expect(pool.tryRun(3)).toBeUndefined();
    expect(() => pool.tryRun(3, { timeout: -1 })).toThrow(RangeError);
    expect(() => pool.tryRun(3, { signal: AbortSignal.abort(new TypeError('before')) })).toThrow('before');
    const closed = pool.close();
    expect(() => pool.tryRun(3)).toThrow(PoolClosedError);
    stage.open();
    await Promise.allSettled(held);
    await closed;
  }));

// A message arrives later than the tasks behind it.
test('tasks are taken in order, but a task that is sent as a message may begin after the next one', () =>
  withPool({ concurrentTasksPerWorker: 2, maxQueue: 4, name: 'beginWith' }, async (pool, stage) => {
    await pool.run({ id: 0, fill: '' });
    await Promise.all([pool.run({ id: 1, fill: 'x'.repeat(600_000) }), pool.run({ id: 2, fill: '' })]);
    expect(stage.order).toEqual([0, 2, 1]);
  }));

test('with one worker and one task at a time, tasks begin in order, whether sent through the buffer or as a message', () =>
  withPool({ maxQueue: 4, name: 'beginWith' }, async (pool, stage) => {
    await pool.run({ id: 0, fill: '' });
    await Promise.all([pool.run({ id: 1, fill: 'x'.repeat(600_000) }), pool.run({ id: 2, fill: '' })]);
    expect(stage.order).toEqual([0, 1, 2]);
  }));
