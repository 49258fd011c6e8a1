import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { ABORTED, COUNT, OPEN } from './jobs/words.mjs';
import { blockUntil, failureOf, ownArena, settled, until, withPool } from './support/pool.ts';

test('run() with an aborted signal rejects, and no task begins', () =>
  withPool({ name: 'hold' }, async (pool, stage) => {
    stage.open();
    expect(await failureOf(pool.run(1, { name: 'hold', signal: AbortSignal.abort('before') }))).toBe('before');
    expect(await pool.run(2)).toBe(2);
    expect(stage.order).toEqual([2]);
  }));

test('an aborted task that is still queued rejects at once and never begins', () =>
  withPool({ name: 'hold', maxQueue: 5 }, async (pool, stage) => {
    const abort = new AbortController();
    const first = pool.run(1);
    const aborted = failureOf(pool.run(2, { name: 'hold', signal: abort.signal }));
    const third = pool.run(3);
    await until(() => stage.begun === 1);
    abort.abort('queued');
    expect(await aborted).toBe('queued');
    stage.open();
    expect(await Promise.all([first, third])).toEqual([1, 3]);
    expect(stage.order).toEqual([1, 3]);
    expect(pool.stats()).toMatchObject({ completed: 2, failed: 1, replaced: 0 });
  }));

test.each(['listen', 'spin'])('an abort aborts the signal of a running task (%s), and its worker lives', (name) =>
  withPool({ abortGrace: Infinity }, async (pool, stage) => {
    const abort = new AbortController();
    const aborted = failureOf(pool.run(1, { name, signal: abort.signal }));
    await until(() => stage.begun === 1);
    abort.abort();
    expect(await aborted).toMatchObject({ name: 'AbortError' });
    expect(await pool.run(2)).toBe(2);
    expect(Atomics.load(stage.words, ABORTED)).toBe(1);
    expect(pool.stats()).toMatchObject({ replaced: 0, running: 0, stopping: 0 });
  }),
);

test.each(['hang', 'never'])(
  'an aborted task that never ends (%s) is terminated with its worker, which is replaced',
  (name) =>
    withPool({ abortGrace: 1 }, async (pool, stage) => {
      const abort = new AbortController();
      const aborted = failureOf(pool.run(1, { name, signal: abort.signal }));
      await until(() => stage.begun === 1);
      abort.abort();
      expect(await aborted).toMatchObject({ name: 'AbortError' });
      expect(await pool.run(2)).toBe(2);
      expect(pool.stats()).toMatchObject({ replaced: 1, running: 0, stopping: 0, failed: 1, completed: 1 });
    }),
);

test('a worker with an aborted task that never ends takes no more tasks, and is terminated when its other tasks are done', () =>
  withPool({ concurrentTasksPerWorker: 2, abortGrace: 0 }, async (pool, stage) => {
    const abort = new AbortController();
    const neighbour = pool.run(1, { name: 'hold' });
    const aborted = failureOf(pool.run(2, { name: 'never', signal: abort.signal }));
    await until(() => stage.begun === 2);
    const [thread] = pool.threads;
    let exits = 0;
    pool.on('workerExit', () => (exits += 1));
    abort.abort();
    expect(await aborted).toMatchObject({ name: 'AbortError' });
    // Another worker runs later tasks.
    expect(await settled(pool.run(3, { name: 'workerId' }))).toBe(2);
    expect(exits).toBe(0);
    stage.open();
    expect(await neighbour).toBe(1);
    await settled(until(() => exits === 1));
    expect(pool.threads).not.toContain(thread);
    expect(pool.stats()).toMatchObject({ replaced: 1, completed: 2, failed: 1, running: 0, stopping: 0 });
  }));

// The pool cannot know which of the worker's tasks blocks the thread.
test('a worker whose event loop is blocked for a second after an abort is ended with all of its tasks', () =>
  withPool({ concurrentTasksPerWorker: 2, abortGrace: 0, retry: 1 }, async (pool, stage) => {
    const abort = new AbortController();
    const neighbour = pool.run(1, { name: 'hold' });
    const aborted = failureOf(pool.run(2, { name: 'hang', signal: abort.signal }));
    await until(() => stage.begun === 2);
    abort.abort();
    expect(await aborted).toMatchObject({ name: 'AbortError' });
    stage.open();
    // These tasks run again in another worker.
    expect(await neighbour).toBe(1);
    expect(pool.stats()).toMatchObject({ replaced: 1, completed: 1, failed: 1 });
  }));

test('two aborted tasks that never end, in one worker, terminate it once', () =>
  withPool({ concurrentTasksPerWorker: 3, abortGrace: 0 }, async (pool, stage) => {
    const aborts = [new AbortController(), new AbortController()];
    const aborted = aborts.map(({ signal }) => failureOf(pool.run(1, { name: 'never', signal })));
    const neighbour = pool.run(3, { name: 'hold' });
    await until(() => stage.begun === 3);
    aborts[0]?.abort('first');
    expect(await aborted[0]).toBe('first');
    stage.open();
    expect(await neighbour).toBe(3);
    aborts[1]?.abort('second');
    expect(await aborted[1]).toBe('second');
    await settled(until(() => pool.stats().replaced === 1));
    expect(pool.stats()).toMatchObject({ running: 0, stopping: 0 });
  }));

// Fails if each task adds a listener: Node.js warns of a leak at eleven.
test('a terminating worker gets no listener for each task that other workers finish', () =>
  withPool({ size: 2, concurrentTasksPerWorker: 2, abortGrace: 0 }, async (pool, stage) => {
    const abort = new AbortController();
    const aborted = failureOf(pool.run(1, { name: 'never', signal: abort.signal }));
    await until(() => stage.begun === 1);
    const threads = [...pool.threads];
    let exits = 0;
    let most = 0;
    pool.on('workerExit', () => (exits += 1));
    pool.on('settled', () => (most = Math.max(most, ...threads.map((thread) => thread.listenerCount('exit')))));
    abort.abort('enough');
    await aborted;
    const inputs = Array.from({ length: 300 }, (_, n) => n);
    while (exits === 0) await pool.map(inputs);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(5);
  }));

test('a TimeoutError says whether the task had begun', () =>
  withPool({ maxQueue: 5 }, async (pool) => {
    const running = failureOf(pool.run(1, { name: 'spin', timeout: 200 }));
    const queued = failureOf(pool.run(2, { timeout: 1 }));
    expect(await queued).toMatchObject({
      message: 'The task was not done within 1 ms: no worker had begun it, and none will.',
    });
    expect(await running).toMatchObject({
      message: expect.stringMatching(
        /^Task 'spin' was not done within 200 ms: (worker 1 \(thread \d+\) runs it|no worker)/,
      ) as string,
    });
  }));

test('a task that times out rejects with a TimeoutError, and its signal is aborted', () =>
  withPool({ abortGrace: Infinity }, async (pool, stage) => {
    const failure = await failureOf(pool.run(1, { name: 'spin', timeout: 200 }));
    expect(failure).toMatchObject({ name: 'TimeoutError', code: 'SLUICE_TIMEOUT' });
    expect(await pool.run(2)).toBe(2);
    expect(Atomics.load(stage.words, ABORTED)).toBe(stage.begun);
  }));

test('the timeout of a task includes the time in the queue', () =>
  withPool({ name: 'hold', maxQueue: 0 }, async (pool, stage) => {
    const first = pool.run(1);
    expect(await failureOf(pool.run(2, { name: 'hold', timeout: 1 }))).toMatchObject({ code: 'SLUICE_TIMEOUT' });
    stage.open();
    await first;
    expect(stage.order).toEqual([1]);
  }));

test('a task times out no earlier than its timeout', () =>
  withPool({ name: 'hold', maxQueue: 20 }, async (pool) => {
    const first = pool.run(1);
    const early = await Promise.all(
      [0.3, 1.2, 2.9, 5.6, 19.9].map(async (timeout) => {
        const began = performance.now();
        expect(await failureOf(pool.run(2, { name: 'hold', timeout }))).toMatchObject({ code: 'SLUICE_TIMEOUT' });
        return Math.max(0, timeout - (performance.now() - began));
      }),
    );
    expect(Math.max(...early)).toBe(0);
    void first.catch(() => undefined);
  }));

test.each(['addEventListener', 'removeEventListener'])(
  'a signal whose %s is missing or throws rejects with a TypeError, and nothing begins',
  (name) =>
    withPool({}, async (pool) => {
      const listen = { aborted: false, addEventListener: () => undefined, removeEventListener: () => undefined };
      const broken = (): never => {
        throw new Error('This signal is broken.');
      };
      for (const member of [undefined, broken]) {
        const signal = { ...listen, [name]: member } as unknown as AbortSignal;
        expect(await failureOf(pool.run(1, { signal }))).toBeInstanceOf(TypeError);
        expect(await failureOf(pool.map([1], { signal }))).toBeInstanceOf(TypeError);
      }
      expect(pool.stats()).toMatchObject({ queued: 0, running: 0, completed: 0, failed: 0 });
      expect(await pool.run(2)).toBe(2);
    }),
);

test('many tasks with one signal add one listener to it', () =>
  withPool({ name: 'hold', maxQueue: 20 }, async (pool, stage) => {
    const { signal } = new AbortController();
    const all = Array.from({ length: 12 }, (_, index) => pool.run(index, { name: 'hold', signal }));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    stage.open();
    await Promise.all(all);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  }));

test('a finished task leaves no listener at its signal', () =>
  withPool({}, async (pool) => {
    const { signal } = new AbortController();
    await pool.run(1, { signal });
    await failureOf(pool.run(1, { name: 'none', signal }));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  }));

test('an abort after the end of a task changes nothing', () =>
  withPool({}, async (pool) => {
    const abort = new AbortController();
    expect(await pool.run(1, { signal: abort.signal })).toBe(1);
    abort.abort();
    expect(await pool.run(2)).toBe(2);
    expect(pool.stats()).toMatchObject({ completed: 2, failed: 0, replaced: 0 });
  }));

// The abort reaches the worker late. Fails if the worker checks only the slot, which has the next task by then.
test('the abort of a finished task does not abort the next task in its slot', () => {
  const { arena } = ownArena();
  return withPool({ atomics: 'sync', arena }, async (pool, stage) => {
    const abort = new AbortController();
    // This thread blocks. So the task is done, but its result is not received, when it is aborted.
    await pool.run(0);
    const done = failureOf(pool.run(1, { name: 'block', signal: abort.signal }));
    stage.open();
    blockUntil(() => stage.ended > 0);
    // The worker has sent the result, and blocks for its next task.
    blockUntil(() =>
      arena.inspect().agents.some(({ waits }) => waits.some(({ how, name }) => how === 'blocking' && name === 'tasks')),
    );
    abort.abort();
    expect(await done).toMatchObject({ name: 'AbortError' });
    await until(() => pool.stats().stopping === 0);
    Atomics.store(stage.words, OPEN, 0);
    const next = pool.run(2, { name: 'toldToStop' });
    // The abort was sent before the task: a few turns of the worker's event loop later it has arrived.
    await until(() => Atomics.load(stage.words, COUNT) >= 5);
    stage.open();
    expect(await next).toBe(false);
    expect(stage.order).toEqual([1, 2]);
  });
});

// Fails if the delay goes to a timer unclipped: a timer treats weeks as 1 ms.
test('an abortGrace of weeks is not cut to 1 ms', () =>
  withPool({ abortGrace: 2 ** 31 }, async (pool, stage) => {
    const abort = new AbortController();
    const aborted = failureOf(pool.run(1, { name: 'hold', signal: abort.signal }));
    await until(() => stage.begun === 1);
    abort.abort();
    expect(await aborted).toMatchObject({ name: 'AbortError' });
    const pause = performance.now() + 100;
    await until(() => performance.now() > pause);
    stage.open();
    expect(await pool.run(2)).toBe(2);
    expect(pool.stats()).toMatchObject({ replaced: 0 });
  }));

// Fails if the worker drops a task's context only after it has sent the result: the slot may have the next task by
// then.
test('with several tasks per worker the signal of each running task is aborted', async () => {
  const beside = { concurrentTasksPerWorker: 2, maxQueue: 1, abortGrace: Infinity };
  for (let round = 0; round < 5; round++) {
    await withPool({ ...beside, name: 'besideOthers' }, async (pool, stage) => {
      await pool.run('quick');
      const abort = new AbortController();
      const others = ['waits', 'opens', 'busy', 'quick'].map((what) => pool.run(what));
      const aborted = failureOf(pool.run('listens', { signal: abort.signal }));
      await Promise.all(others);
      await until(() => stage.begun === 1);
      abort.abort();
      expect(await aborted).toMatchObject({ name: 'AbortError' });
      await settled(until(() => Atomics.load(stage.words, ABORTED) === 1));
    });
  }
});
