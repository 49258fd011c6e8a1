import { closeSync, fstatSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COUNT } from './jobs/words.mjs';
import { failureOf, settled, until, withPool } from './support/pool.ts';

test('workerStart and workerExit are emitted for each worker', () =>
  withPool({ size: 2 }, async (pool) => {
    const started: unknown[] = [];
    const ended: unknown[] = [];
    pool.on('workerStart', (worker) => started.push(worker));
    const numbers: unknown[] = [];
    pool.on('workerStart', (worker, identity) => {
      expect(identity.threadId).toBe(worker.threadId);
      numbers.push(identity.workerId);
    });
    const gone: unknown[] = [];
    pool.on('workerExit', (worker, exitCode, _, identity) => {
      ended.push([worker, exitCode]);
      gone.push(identity);
    });
    await until(() => started.length === 2);
    expect(started).toEqual(expect.arrayContaining([...pool.threads]));
    expect(numbers.toSorted()).toEqual([1, 2]);
    const [first] = pool.threads;
    const threadId = first?.threadId;
    await first?.terminate();
    expect(ended).toEqual([[first, 1]]);
    // An ended thread no longer has an id.
    expect(first?.threadId).toBe(-1);
    expect(gone).toEqual([{ workerId: 1, threadId }]);
    await until(() => started.length === 3);
    await pool.close();
    expect(ended).toHaveLength(3);
  }));

test('workerExit has the worker number and the thread id that the worker’s tasks saw', () =>
  withPool({ name: 'whoAmI' }, async (pool) => {
    const gone = new Promise<unknown>((resolve) =>
      pool.once('workerExit', (_worker, _exitCode, _failure, identity) => resolve(identity)),
    );
    const seen = await pool.run(0);
    await failureOf(pool.run('exit', { name: 'die' }));
    expect(await gone).toEqual(seen);
  }));

test('settled is emitted once for each task, however the task ends', () =>
  withPool({ maxQueue: 1 }, async (pool) => {
    const seen: unknown[] = [];
    pool.on('settled', (counts) => seen.push(counts));
    const abort = new AbortController();
    await pool.run(1);
    await failureOf(pool.run(1, { name: 'none' }));
    await failureOf(pool.run('exit', { name: 'die' }));
    const aborted = failureOf(pool.run(1, { name: 'never', signal: abort.signal }));
    abort.abort();
    await aborted;
    expect(seen).toEqual([
      { completed: 1, failed: 0 },
      { completed: 1, failed: 1 },
      { completed: 1, failed: 2 },
      { completed: 1, failed: 3 },
    ]);
  }));

test('drain is emitted when no task is left', () =>
  withPool({ name: 'hold', maxQueue: 0 }, async (pool, stage) => {
    let drained = 0;
    pool.on('drain', () => (drained += 1));
    const results = [pool.run(1), pool.run(2)];
    await until(() => stage.begun === 1);
    expect(drained).toBe(0);
    stage.open();
    await Promise.all(results);
    expect(drained).toBe(1);
    await pool.run(3);
    expect(drained).toBe(2);
  }));

// Fails if the event is emitted before the last task is counted and settled.
test('all tasks are counted when drain is emitted', () =>
  withPool({}, async (pool) => {
    const counts: number[] = [];
    pool.on('drain', () => counts.push(pool.stats().completed));
    await pool.run(1);
    expect(counts).toEqual([1]);
  }));

test('messages of a task are emitted, whatever their shape', () =>
  withPool({}, async (pool) => {
    const messages = [1, 'text', { kind: 'ready' }, { kind: 'result', slot: 0 }, undefined, null];
    const heard: unknown[] = [];
    pool.on('message', (message) => heard.push(message));
    await pool.run(messages, { name: 'say' });
    await until(() => heard.length === messages.length);
    expect(heard).toEqual(messages);
    expect(await pool.run(5)).toBe(5);
  }));

test('the counts of stats() add up', () =>
  withPool({ size: 2, maxQueue: 20 }, async (pool) => {
    await pool.map([1, 2, 3, 4, 5]);
    await Promise.all(['none', 'die', 'none'].map((name) => failureOf(pool.run('exit', { name }))));
    await until(() => pool.stats().workers === 2);
    const { waitTime, runTime, utilization, ...counts } = pool.stats();
    expect(counts).toEqual({
      workers: 2,
      queued: 0,
      waiting: 0,
      running: 0,
      stopping: 0,
      completed: 5,
      failed: 3,
      replaced: 1,
    });
    for (const times of [waitTime, runTime]) {
      // The task of the dead worker has no measured times.
      expect(times.count).toBe(7);
      expect(times.min).toBeLessThanOrEqual(times.p50);
      expect(times.p50).toBeLessThanOrEqual(times.p99);
      expect(times.p99).toBeLessThanOrEqual(times.max);
    }
    expect(utilization).toBeGreaterThan(0);
    expect(utilization).toBeLessThan(1);
  }));

test('timers run in an idle worker', () =>
  withPool({}, async (pool, { words }) => {
    await pool.run(1, { name: 'startTimer' });
    await until(() => Atomics.load(words, COUNT) > 3);
  }));

test('no timers run in an idle worker that blocks', () =>
  withPool({ atomics: 'sync' }, async (pool, { words }) => {
    await pool.run(1, { name: 'startTimer' });
    for (let [before, now] = [-1, 0]; now !== before; ) {
      before = now;
      const pause = performance.now() + 50;
      await until(() => performance.now() > pause);
      now = Atomics.load(words, COUNT);
    }
  }));

test('workers get the argv, the environment and the workerData of the pool', () =>
  withPool({ argv: ['one', 'two'], env: { SLUICE_TEST: 'here' } }, async (pool, { words }) =>
    expect(await pool.run(1, { name: 'surroundings' })).toEqual({
      argv: ['one', 'two'],
      env: 'here',
      workerData: words.length,
    }),
  ));

test('workers have separate standard streams if the options request it', () =>
  withPool({ stdin: true, stdout: true, stderr: true, name: 'speak' }, async (pool) => {
    const [thread] = pool.threads;
    if (!thread) throw new Error('There is no worker.');
    const heard = { out: '', err: '' };
    thread.stdout.on('data', (chunk) => (heard.out += String(chunk)));
    thread.stderr.on('data', (chunk) => (heard.err += String(chunk)));
    thread.stdin?.end('from outside');
    expect(await pool.run('loud')).toBe('from outside');
    await until(() => heard.out !== '' && heard.err !== '');
    expect(heard).toEqual({ out: 'out loud', err: 'err loud' });
  }));

test.each([true, false])(
  'files that a worker leaves open are closed with it only with trackUnmanagedFds (%o)',
  (trackUnmanagedFds) =>
    withPool({ trackUnmanagedFds, name: 'leaveOpen' }, async (pool) => {
      const open = (await pool.run(0)) as number;
      await pool.close();
      if (trackUnmanagedFds) expect(() => fstatSync(open)).toThrow('EBADF');
      else closeSync(open);
    }),
);

// Only deaths before `close`, or by an error, are counted.
test('a worker that is replaced during close() is counted', () =>
  withPool({ maxQueue: 5 }, async (pool) => {
    const failure = failureOf(pool.run('exit', { name: 'die' }));
    const after = pool.run(1);
    let replaced = 0;
    pool.on('settled', () => (replaced = pool.stats().replaced));
    const closed = pool.close();
    await failure;
    await settled(after);
    await closed;
    expect(replaced).toBe(1);
  }));

test('each task is counted once while a listener of settled runs', () =>
  withPool({ size: 1, maxQueue: 3 }, async (pool) => {
    const sums: number[] = [];
    pool.on('settled', () => {
      const { completed, failed, running, queued, waiting } = pool.stats();
      sums.push(completed + failed + running + queued + waiting);
    });
    const died = failureOf(pool.run('exit', { name: 'die' }));
    await Promise.all([died, ...Array.from({ length: 11 }, (_, n) => pool.run(n, { name: 'double' }))]);
    expect(sums).toEqual(Array.from({ length: 12 }, () => 12));
  }));
