// Tests that a task that is cancelled before a worker takes it frees its slot at once, and that the counts of a pool
// are always consistent.

import { Random, soakSize } from '@sluice/harness';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { turn } from '../../core/test/support/turn.ts';
import { failureOf, settled, until, withPool, type AnyPool, type Stage } from './support/pool.ts';

/** A pool with one busy worker, and `maxQueue` places behind it. */
const busy = (
  maxQueue: number,
  body: (pool: AnyPool, stage: Stage, held: Promise<unknown>) => Promise<void>,
): Promise<void> =>
  withPool({ maxQueue, name: 'hold' }, async (pool, stage) => {
    const held = pool.run(0);
    held.catch(() => undefined);
    await until(() => stage.begun === 1);
    await body(pool, stage, held);
  });

test('tryRun() gets the place of an aborted queued task in the same turn', () =>
  busy(2, async (pool, stage, held) => {
    const abort = new AbortController();
    const aborted = [1, 2].map((input) => failureOf(pool.run(input, { signal: abort.signal, name: 'hold' })));
    expect(pool.tryRun(3)).toBeUndefined();
    abort.abort('enough');
    expect(pool.stats()).toMatchObject({ queued: 0, waiting: 0, running: 1 });
    const results = [pool.tryRun(4), pool.tryRun(5)];
    expect(results).not.toContain(undefined);
    expect(pool.tryRun(6)).toBeUndefined();
    expect(await Promise.all(aborted)).toEqual(['enough', 'enough']);
    stage.open();
    expect(await Promise.all([held, ...results])).toEqual([0, 4, 5]);
    expect(stage.order).toEqual([0, 4, 5]);
  }));

test('tryRun() gets the place of a queued task that timed out', () =>
  busy(1, async (pool, stage) => {
    expect(await failureOf(pool.run(1, { timeout: 1, name: 'hold' }))).toMatchObject({ code: 'SLUICE_TIMEOUT' });
    const next = pool.tryRun(2);
    expect(next).toBeDefined();
    stage.open();
    expect(await next).toBe(2);
    expect(stage.order).toEqual([0, 2]);
  }));

test('a waiting call of run() gets the place of an aborted queued task', () =>
  busy(1, async (pool, stage) => {
    const abort = new AbortController();
    const aborted = failureOf(pool.run(1, { signal: abort.signal, name: 'hold' }));
    const waiting = pool.run(2);
    expect(pool.stats()).toMatchObject({ queued: 1, waiting: 1 });
    abort.abort('enough');
    expect(pool.stats()).toMatchObject({ queued: 1, waiting: 0 });
    expect(await aborted).toBe('enough');
    stage.open();
    expect(await waiting).toBe(2);
  }));

test('close() does not wait for aborted queued tasks', () =>
  busy(5, async (pool, stage) => {
    const abort = new AbortController();
    const aborted = failureOf(pool.run(1, { signal: abort.signal, name: 'hang' }));
    abort.abort('enough');
    await aborted;
    stage.open();
    await settled(pool.close());
    expect(stage.order).toEqual([0]);
  }));

test('map() continues when waiting calls of run() are aborted', () =>
  busy(0, async (pool, stage) => {
    const abort = new AbortController();
    const waiting = failureOf(pool.run(1, { signal: abort.signal, name: 'hold' }));
    const inputs: number[] = [];
    const all = pool.map(
      (function* () {
        for (const input of [2, 3]) {
          inputs.push(input);
          yield input;
        }
      })(),
    );
    await turn();
    abort.abort('enough');
    expect(await waiting).toBe('enough');
    stage.open();
    expect(await all).toEqual([2, 3]);
  }));

// The entries of aborted tasks stay in the buffer until a worker reads them. If the buffer could not hold them, the
// pool's thread would wait forever.
test.each([1, 7, 100])(
  'after ten thousand tasks were queued and aborted while all workers are busy, the others keep their order (queue of %i)',
  (maxQueue) =>
    busy(maxQueue, async (pool, stage) => {
      const kept: Promise<unknown>[] = [];
      const most = Math.min(maxQueue - 1, 5);
      for (let n = 1; n <= 10_000; n++) {
        const abort = new AbortController();
        const aborted = failureOf(pool.run('x'.repeat(n % 50), { signal: abort.signal, name: 'hold' }));
        if (kept.length < most && n % 1500 === 0) kept.push(pool.run(kept.length + 1));
        abort.abort('enough');
        expect(await aborted).toBe('enough');
      }
      expect(pool.stats()).toMatchObject({ queued: most, waiting: 0, running: 1, failed: 10_000 });
      stage.open();
      const inputs = kept.map((_, n) => n + 1);
      expect(await Promise.all(kept)).toEqual(inputs);
      expect(stage.order).toEqual([0, ...inputs]);
    }),
);

interface Open {
  readonly abort: AbortController;
  readonly promise: Promise<void>;
}

/** Tests a pool with random tasks, and the invariants of its counts. */
class Counted {
  readonly #pool: AnyPool;
  readonly #capacity: number;
  readonly open = new Set<Open>();
  accepted = 0;
  settled = 0;
  checks = 0;

  constructor(pool: AnyPool, capacity: number) {
    this.#pool = pool;
    this.#capacity = capacity;
    pool.on('settled', ({ completed, failed }) => {
      this.settled = completed + failed;
      this.check();
    });
    pool.on('drain', () => this.check());
    pool.on('workerExit', () => this.check());
  }

  check(): void {
    this.checks += 1;
    const before = this.#pool.queueSize;
    const { queued, waiting, running, stopping, completed, failed } = this.#pool.stats();
    const after = this.#pool.queueSize;
    const seen = JSON.stringify({ queued, waiting, running, stopping, completed, failed, accepted: this.accepted });
    // Workers take tasks meanwhile: between two checks a queued task may become a running one.
    expect(before, seen).toBeGreaterThanOrEqual(queued + waiting);
    expect(after, seen).toBeLessThanOrEqual(queued + waiting);
    expect(after, seen).toBeGreaterThanOrEqual(waiting);
    expect(queued + running + stopping, seen).toBeLessThanOrEqual(this.#capacity);
    if (waiting > 0) expect(queued + running + stopping, seen).toBe(this.#capacity);
    expect(completed + failed, seen).toBe(this.settled);
    // Tasks that were aborted while they ran are counted as failed, and still run.
    const open = this.accepted - this.settled;
    expect(queued + waiting, seen).toBeLessThanOrEqual(open);
    expect(queued + waiting + running + stopping, seen).toBeGreaterThanOrEqual(open);
  }

  /** Expects that `tryRun` accepts the task if and only if the counts show a free place. */
  tryRun(input: unknown, options: object): void {
    const { queued, waiting, running, stopping } = this.#pool.stats();
    const abort = new AbortController();
    this.accepted += 1;
    const promise = this.#pool.tryRun(input, { ...options, signal: abort.signal });
    if (promise === undefined) this.accepted -= 1;
    // Workers take tasks in the meantime. This moves a task from queued to running, and changes no sum.
    expect(promise === undefined).toBe(waiting > 0 || queued + running + stopping === this.#capacity);
    if (promise !== undefined) this.#keep(promise, abort);
  }

  run(input: unknown, options: object): void {
    const abort = new AbortController();
    this.accepted += 1;
    this.#keep(this.#pool.run(input, { ...options, signal: abort.signal }), abort);
  }

  #keep(promise: Promise<unknown>, abort: AbortController): void {
    const kept: Open = {
      abort,
      promise: promise
        .then(
          () => undefined,
          () => undefined,
        )
        .finally(() => this.open.delete(kept)),
    };
    this.open.add(kept);
  }
}

const POOLS: readonly (readonly [options: { size: number; maxQueue: number; concurrentTasksPerWorker?: number }])[] = [
  [{ size: 1, maxQueue: 0 }],
  [{ size: 2, maxQueue: 3 }],
  [{ size: 2, maxQueue: 4, concurrentTasksPerWorker: 2 }],
];

const STEPS = soakSize(400, 10_000);

test.each(POOLS)(
  'the counts of stats() add up at every moment while tasks run, are aborted, time out and lose their workers: %o',
  (options) => {
    const seed = Number(process.env['SLUICE_SEED'] ?? Math.trunc(Math.random() * 2 ** 31));
    const random = new Random(seed);
    const below = (n: number): number => random.below(Math.max(1, n));
    const capacity = options.size * (options.concurrentTasksPerWorker ?? 1) + options.maxQueue;
    return withPool({ ...options, abortGrace: 5, name: 'shortTask' }, async (pool) => {
      await pool.run(0);
      const counted = new Counted(pool, capacity);
      counted.accepted = counted.settled = 1;
      // The pool rejects all tasks if several workers in a row end before they are ready, so only workers that were
      // ready are terminated.
      const ready = new Set<object>(pool.threads);
      pool.on('workerStart', (thread) => ready.add(thread));
      const terminateOne = (): void => {
        const threads = pool.threads.filter((thread) => ready.has(thread));
        void threads[below(threads.length)]?.terminate();
      };
      for (let step = 0; step < STEPS; step++) {
        const chance = below(100);
        const runOptions = {
          ...(below(4) === 0 ? { timeout: 1 + below(5) } : {}),
          ...(below(30) === 0 ? { name: 'dieWith' } : {}),
        };
        if (chance < 35) counted.tryRun(below(4), runOptions);
        else if (chance < 60) counted.run(below(4), runOptions);
        else if (chance < 85) [...counted.open][below(counted.open.size)]?.abort.abort('random');
        else if (chance < 86) terminateOne();
        else if (chance < 95) await turn();
        else await sleep(2); // so that workers make progress
        counted.check();
      }
      for (const { abort } of counted.open) if (below(2) === 0) abort.abort('the rest');
      await settled(Promise.all([...counted.open].map(({ promise }) => promise)));
      await until(() => pool.stats().running + pool.stats().stopping === 0);
      counted.check();
      expect(pool.stats()).toMatchObject({ queued: 0, waiting: 0, running: 0, stopping: 0 });
      console.log(`seed ${seed}: ${counted.accepted} tasks, ${counted.checks} checks`);
      expect(counted.settled).toBe(counted.accepted);
    });
  },
);
