import { Arena, Semaphore } from '@sluice/core';
import { Mutex } from '@sluice/mutex';
import { expect, test } from 'vitest';
import { COUNT } from './jobs/words.mjs';
import { blockUntil, failureOf, PoolClosedError, settled, until, WorkerDiedError, withPool } from './support/pool.ts';

const MEMORY = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 };

test.each([
  ['exit', 7, undefined],
  ['throw', 1, 'out of the blue'],
  ['reject', 1, 'it is not caught'],
  ['memory', 1, 'memory'],
])(
  'a task whose worker ends rejects with a WorkerDiedError (%s), and the next worker takes over',
  (how, exitCode, why) =>
    withPool({ resourceLimits: MEMORY }, async (pool) => {
      const after = pool.run(5);
      const failure = await failureOf(pool.run(how, { name: 'die' }));
      expect(failure).toBeInstanceOf(WorkerDiedError);
      expect(failure).toMatchObject({ code: 'SLUICE_WORKER_DIED', exitCode });
      const { cause } = failure as WorkerDiedError;
      if (why === undefined) expect(cause).toBeUndefined();
      else expect(cause).toMatchObject({ message: expect.stringContaining(why) as string });
      expect(await after).toBe(5);
      expect(await pool.run(6)).toBe(6);
      expect(pool.stats()).toMatchObject({ workers: 1, running: 0, completed: 2, failed: 1, replaced: 1 });
    }),
);

test('terminating a worker’s thread rejects only the tasks that it had begun', () =>
  withPool({ concurrentTasksPerWorker: 2, name: 'hold' }, async (pool, stage) => {
    const lost = [1, 2].map((input) => failureOf(pool.run(input)));
    const kept = [3, 4].map((input) => pool.run(input));
    await until(() => stage.begun === 2);
    await pool.threads[0]?.terminate();
    expect(await Promise.all(lost)).toMatchObject([{ exitCode: 1 }, { exitCode: 1 }]);
    stage.open();
    expect(await Promise.all(kept)).toEqual([3, 4]);
    expect(stage.order).toEqual(expect.arrayContaining([1, 2, 3, 4]));
    expect(stage.begun).toBe(4);
  }));

test('tasks of other workers continue when one dies', () =>
  withPool({ size: 2 }, async (pool, stage) => {
    const kept = pool.run(1, { name: 'hold' });
    expect(await failureOf(pool.run('exit', { name: 'die' }))).toBeInstanceOf(WorkerDiedError);
    stage.open();
    expect(await kept).toBe(1);
  }));

test('a result that was sent before its worker ended arrives', () =>
  withPool({}, async (pool) => {
    for (let n = 0; n < 5; n++) {
      expect(await pool.run(n, { name: 'lastWords' })).toBe('done');
      await until(() => pool.stats().replaced === n + 1);
    }
  }));

// A receive of the pool is pending then, so a check for results that the worker left finds none (pool-engine.ts,
// #handleExit).
test('a result arrives at its own task when the exit of its worker is reported first', () =>
  withPool({}, async (pool) => {
    const arena = Arena.create({ maxPages: 8 });
    const { handle } = Semaphore.create(0, { arena });
    for (let round = 0; round < 10; round++) {
      const quick = [1, 2, 3, 4].map((input) => pool.run(input));
      // During this block the last task is done, and its worker ends.
      const busy = quick[3]?.then(() => blockUntil(() => arena.reclaimDead().length > 0));
      const last = pool.run(handle, { name: 'lastWordsAsAgent' });
      await busy;
      expect(await last).toBe('done');
      expect(await pool.run(round)).toBe(round);
    }
  }));

test('a worker that dies while it is idle is replaced, and no task fails', () =>
  withPool({}, async (pool) => {
    await pool.run(1);
    await pool.threads[0]?.terminate();
    expect(await pool.run(2)).toBe(2);
    expect(pool.stats()).toMatchObject({ completed: 2, failed: 0, replaced: 1 });
  }));

test('an error that a finished task throws later fails no task', () =>
  withPool({}, async (pool) => {
    await pool.run('late', { name: 'throwLater' });
    await until(() => pool.stats().replaced === 1);
    expect(await pool.run(2)).toBe(2);
    expect(pool.stats()).toMatchObject({ completed: 2, failed: 0 });
  }));

test('the lock of a dead worker passes to the next owner, which is told', () =>
  withPool({}, async (pool) => {
    const mutex = Mutex.create();
    expect(await failureOf(pool.run(mutex.handle, { name: 'dieWithLock' }))).toBeInstanceOf(WorkerDiedError);
    expect(await failureOf(mutex.lockAsync())).toMatchObject({ code: 'SLUICE_OWNER_DIED' });
    mutex.markConsistent();
    mutex.unlock();
    mutex.free();
  }));

test('without retry a task runs at most once', () =>
  withPool({ name: 'dieAtFirst' }, async (pool, stage) => {
    expect(await failureOf(pool.run(5))).toBeInstanceOf(WorkerDiedError);
    expect(stage.words[COUNT]).toBe(1);
  }));

test('retry runs a task whose worker died again, at most that many times', () =>
  withPool({ name: 'dieAtFirst', retry: 2 }, async (pool, stage) => {
    expect(await pool.run(2)).toBe(3);
    stage.words[COUNT] = 0;
    expect(await failureOf(pool.run(3))).toBeInstanceOf(WorkerDiedError);
    expect(stage.words[COUNT]).toBe(3);
  }));

test('retry does not run a task that has thrown again', () =>
  withPool({ retry: 5 }, async (pool) => {
    expect(await failureOf(pool.run(1, { name: 'none' }))).toMatchObject({ code: 'SLUICE_TASK_FILE' });
    expect(pool.stats().replaced).toBe(0);
  }));

test('a task whose memory was transferred does not run again', () =>
  withPool({ retry: 5 }, async (pool) => {
    const bytes = new Uint8Array(8);
    expect(await failureOf(pool.run(bytes, { name: 'dieWith', transferList: [bytes.buffer] }))).toBeInstanceOf(
      WorkerDiedError,
    );
    expect(pool.stats().replaced).toBe(1);
  }));

test('an aborted task does not run again', () =>
  withPool({ retry: 5 }, async (pool, stage) => {
    const abort = new AbortController();
    const aborted = failureOf(pool.run(1, { name: 'never', signal: abort.signal }));
    await until(() => stage.begun === 1);
    abort.abort('enough');
    await pool.threads[0]?.terminate();
    expect(await aborted).toBe('enough');
    expect(await pool.run(2)).toBe(2);
    expect(stage.begun).toBe(1);
  }));

test('tasks reject if the only worker of the pool cannot start', () =>
  withPool({ execArgv: ['--require', './nowhere.cjs'] }, async (pool) => {
    expect(await settled(failureOf(pool.run(1)))).toBeInstanceOf(PoolClosedError);
    expect(await failureOf(pool.run(1))).toMatchObject({
      code: 'SLUICE_POOL_CLOSED',
      cause: { code: 'MODULE_NOT_FOUND' },
    });
    await pool.close();
  }));

// Fails if the pool checks for remaining workers only when it rejects all tasks: some workers are just starting then.
test('tasks reject if none of several workers can start', () =>
  withPool({ size: 3, execArgv: ['--require', './nowhere.cjs'] }, async (pool) => {
    expect(await settled(failureOf(pool.run(1)))).toBeInstanceOf(PoolClosedError);
  }));

// The worker has just reported a result, and looks for the next task. The pool's thread looks for a result.
test('a task that follows the death of a worker that stays awake is run by the next worker', () =>
  withPool({ size: 2, retry: 1 }, async (pool) => {
    for (let n = 0; n < 20; n++) expect(await pool.run(n)).toBe(n);
    for (let n = 0; n < 10; n++) {
      await Promise.all([1, 2, 3].map(async (input) => expect(await pool.run(input)).toBe(input)));
      expect(await pool.run(n)).toBe(n);
      const { workerId } = (await pool.run(0, { name: 'whoAmI' })) as { workerId: number };
      const [ended] = pool.threads.map((thread) => thread.terminate());
      await Promise.all([pool.run(n), ended]);
      await until(() => pool.threads.length === 2);
      const next = (await pool.run(0, { name: 'whoAmI' })) as { workerId: number };
      expect(next.workerId).not.toBe(workerId);
    }
  }));
