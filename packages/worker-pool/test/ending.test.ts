import { expect, test } from 'vitest';
import { turn } from '../../core/test/support/turn.ts';
import {
  failureOf,
  ownArena,
  PoolClosedError,
  settled,
  until,
  withPool,
  WorkerDiedError,
  WorkerPool,
  TASKS,
} from './support/pool.ts';

test('close() waits for all accepted tasks, including waiting calls of run()', () =>
  withPool({ maxQueue: 1, name: 'hold' }, async (pool, stage) => {
    const results = [1, 2, 3, 4].map((input) => pool.run(input));
    await until(() => stage.begun === 1);
    let closed = false;
    const end = pool.close().then(() => (closed = true));
    for (let turns = 0; turns < 20; turns++) await turn();
    expect(closed).toBe(false);
    expect(pool.threads).toHaveLength(1);
    stage.open();
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4]);
    await end;
    expect(pool.threads).toEqual([]);
  }));

test('a closed pool rejects new tasks', () =>
  withPool({}, async (pool) => {
    const end = pool.close();
    expect(await failureOf(pool.run(1))).toBeInstanceOf(PoolClosedError);
    expect(() => pool.tryRun(1)).toThrow(PoolClosedError);
    expect(await failureOf(pool.map([1]))).toBeInstanceOf(PoolClosedError);
    await end;
    expect(await failureOf(pool.run(1))).toMatchObject({ code: 'SLUICE_POOL_CLOSED' });
  }));

test('later calls of close() and destroy(), in any order, have no effect', async () => {
  const ends = ['close', 'destroy'] as const;
  for (const first of ends) {
    for (const second of ends) {
      await withPool({}, async (pool) => {
        expect(await pool.run(1)).toBe(1);
        await Promise.all([pool[first](), pool[second]()]);
        await pool[second]();
        await pool[first]();
      });
    }
  }
});

test('a pool can be closed before its workers have started', async () => {
  await withPool({ size: 2 }, (pool) => pool.close());
  await withPool({ size: 2 }, (pool) => pool.destroy());
});

test('destroy() rejects running tasks, queued tasks and waiting calls, and ends the workers', () =>
  withPool({ maxQueue: 1, name: 'hang', size: 2 }, async (pool, stage) => {
    const failures = [1, 2, 3, 4].map((input) => failureOf(pool.run(input)));
    await until(() => stage.begun === 2);
    const threads = [...pool.threads];
    await pool.destroy();
    for (const failure of await Promise.all(failures)) expect(failure).toBeInstanceOf(PoolClosedError);
    expect(threads.map(({ threadId }) => threadId)).toEqual([-1, -1]);
  }));

test('destroy() ends a waiting close()', () =>
  withPool({ name: 'hang' }, async (pool, stage) => {
    const failure = failureOf(pool.run(1));
    await until(() => stage.begun === 1);
    const closed = pool.close();
    await pool.destroy();
    await closed;
    expect(await failure).toBeInstanceOf(PoolClosedError);
  }));

test('close() waits for a task that runs again', () =>
  withPool({ name: 'dieAtFirst', retry: 1 }, async (pool) => {
    const result = pool.run(1);
    await pool.close();
    expect(await result).toBe(2);
  }));

test('close() resolves when the worker of the last task dies', () =>
  withPool({ name: 'die' }, async (pool) => {
    const failure = failureOf(pool.run('exit'));
    await pool.close();
    expect(await failure).toBeInstanceOf(WorkerDiedError);
  }));

test('await using closes the pool', async () => {
  let kept: WorkerPool | undefined;
  let result: Promise<unknown> | undefined;
  {
    await using pool = new WorkerPool({ filename: TASKS, size: 1, workerData: new Int32Array(16) });
    result = pool.run(3);
    kept = pool;
  }
  expect(await result).toBe(3);
  expect(await failureOf(kept.run(1))).toBeInstanceOf(PoolClosedError);
});

test.each(['close', 'destroy'] as const)('%s() returns all memory of the pool', async (end) => {
  const { arena, used } = ownArena();
  const pool = new WorkerPool({ filename: TASKS, arena, size: 2, workerData: new Int32Array(16) });
  expect(await pool.map([1, 2, 3])).toEqual([1, 2, 3]);
  expect(used()).not.toEqual([]);
  await pool[end]();
  await until(() => used().length === 0);
});

test.each(['close', 'destroy'] as const)('destroy() long after %s has no effect', async (end) => {
  const { arena, used } = ownArena();
  const pool = new WorkerPool({ filename: TASKS, arena, size: 1, workerData: new Int32Array(16) });
  await pool[end]();
  await until(() => used().length === 0);
  await pool.destroy();
});

// Fails if an error of a worker makes the wait for its exit reject.
test('close() resolves although a worker throws while it ends', () =>
  withPool({}, async (pool) => {
    await pool.run('late', { name: 'throwLater' });
    await pool.close();
  }));

test('stats() works after the pool has ended', () =>
  withPool({}, async (pool) => {
    await pool.run(1);
    await pool.close();
    expect(pool.stats()).toMatchObject({ completed: 1, workers: 0, queued: 0, running: 0 });
  }));

// Fails if `close` waits for an event of the pool, whose listeners the user may remove.
test('close() resolves although all listeners were removed', () =>
  withPool({ name: 'hold' }, async (pool, stage) => {
    const result = pool.run(1);
    await until(() => stage.begun === 1);
    const closed = pool.close();
    await turn();
    pool.removeAllListeners();
    stage.open();
    expect(await result).toBe(1);
    await settled(closed);
  }));

test('close() gives workers time for asynchronous work that tasks left behind', () =>
  withPool({ name: 'goOn' }, async (pool, stage) => {
    await pool.run(100);
    await pool.close();
    expect(stage.ended).toBe(1);
  }));

test('close() ends a worker that never becomes idle', () =>
  withPool({ name: 'startTimerForEver' }, async (pool) => {
    await pool.run(1);
    const [thread] = pool.threads;
    await settled(pool.close());
    expect(thread?.threadId).toBe(-1);
  }));

test.each([{ abortGrace: Infinity }, { concurrentTasksPerWorker: 2, abortGrace: Infinity }])(
  'with an endless abortGrace an aborted task that never ends keeps close() waiting forever, but not destroy() (%o)',
  (options) =>
    withPool({ ...options, name: 'never' }, async (pool, stage) => {
      const abort = new AbortController();
      const aborted = failureOf(pool.run(1, { signal: abort.signal }));
      await until(() => stage.begun === 1);
      abort.abort('enough');
      expect(await aborted).toBe('enough');
      let closed = false;
      const end = pool.close().then(() => (closed = true));
      for (let turns = 0; turns < 50; turns++) await turn();
      expect(closed).toBe(false);
      expect(pool.stats()).toMatchObject({ running: 0, stopping: 1, workers: 1, replaced: 0 });
      await pool.destroy();
      await settled(end);
    }),
);

test.each(['never', 'hang'])(
  'close() does not wait for an aborted task that never ends, even beside other tasks (%s)',
  (name) =>
    withPool({ concurrentTasksPerWorker: 2, abortGrace: 0 }, async (pool, stage) => {
      const abort = new AbortController();
      const aborted = failureOf(pool.run(1, { signal: abort.signal, name }));
      await until(() => stage.begun === 1);
      abort.abort('enough');
      expect(await aborted).toBe('enough');
      await pool.close();
      expect(pool.stats()).toMatchObject({ running: 0, stopping: 0, workers: 0 });
    }),
);

test('close({ force: true }) rejects tasks that have not begun, and waits for running ones', () =>
  withPool({ maxQueue: 1, name: 'hold' }, async (pool, stage) => {
    const running = pool.run(1);
    const others = [2, 3, 4].map((input) => failureOf(pool.run(input)));
    await until(() => stage.begun === 1);
    const closed = pool.close({ force: true });
    for (const failure of await Promise.all(others)) expect(failure).toBeInstanceOf(PoolClosedError);
    stage.open();
    expect(await running).toBe(1);
    await closed;
    expect(stage.order).toEqual([1]);
  }));

test('a second call of close() applies its force and timeout', () =>
  withPool({ maxQueue: 1, name: 'hang' }, async (pool, stage) => {
    const failures = [1, 2, 3].map((input) => failureOf(pool.run(input)));
    await until(() => stage.begun === 1);
    const closed = pool.close();
    const forced = pool.close({ force: true });
    expect(await failures[2]).toBeInstanceOf(PoolClosedError);
    expect(pool.stats()).toMatchObject({ queued: 0, waiting: 0, running: 1 });
    await settled(pool.close({ timeout: 1 }));
    expect(await failures[0]).toMatchObject({
      code: 'SLUICE_POOL_CLOSED',
      message: 'The timeout of close, 1 ms, ran out before the task was done.',
    });
    await Promise.all([closed, forced]);
  }));

test('close() with a timeout that does not run out neither keeps the process alive nor ends a task early', () =>
  withPool({ name: 'hold' }, async (pool, stage) => {
    const result = pool.run(1);
    await until(() => stage.begun === 1);
    const closed = pool.close({ timeout: 1e6 });
    stage.open();
    expect(await result).toBe(1);
    await settled(closed);
  }));

test.each([{ force: 'yes' }, { timeout: -1 }, { timeout: '5' }, { graceful: true }, null])(
  'close() refuses %o, and the pool continues to accept tasks',
  (options) =>
    withPool({}, async (pool) => {
      expect(await failureOf(pool.close(options as never))).toBeInstanceOf(
        options !== null && 'timeout' in options && options.timeout === -1 ? RangeError : TypeError,
      );
      expect(await pool.run(1)).toBe(1);
    }),
);

test('cancelPending() rejects exactly the tasks that no worker has begun', () =>
  withPool({ maxQueue: 2, name: 'hold' }, async (pool, stage) => {
    const running = pool.run(1);
    await until(() => stage.begun === 1);
    const others = [2, 3, 4, 5].map((input) => failureOf(pool.run(input)));
    expect(pool.stats()).toMatchObject({ queued: 2, waiting: 2 });
    expect(pool.cancelPending()).toBe(4);
    expect(pool.stats()).toMatchObject({ queued: 0, waiting: 0, running: 1, failed: 4 });
    for (const failure of await Promise.all(others)) expect(failure).toMatchObject({ name: 'AbortError' });
    const refused = failureOf(pool.run(6));
    expect(pool.cancelPending('no more')).toBe(1);
    expect(await refused).toBe('no more');
    expect(pool.cancelPending()).toBe(0);
    stage.open();
    expect(await running).toBe(1);
    expect(await pool.run(7)).toBe(7);
    expect(stage.order).toEqual([1, 7]);
    await pool.close();
    expect(pool.cancelPending()).toBe(0);
  }));
