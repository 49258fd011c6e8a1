import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { failureOf, TASKS, withPool, WorkerPool, type WorkerPoolOptions } from './support/pool.ts';

const NUMBERS = [
  'minThreads',
  'maxThreads',
  'idleTimeout',
  'maxTasksPerWorker',
  'maxHeapPerWorker',
  'size',
  'concurrentTasksPerWorker',
  'maxQueue',
  'retry',
  'bufferBytes',
  'abortGrace',
];
const WRONG: readonly (readonly [options: Record<string, unknown>, error: typeof TypeError | typeof RangeError])[] = [
  ...[0, -1, 1.5, NaN, Infinity, 513].map((size) => [{ size }, RangeError] as const),
  ...[0, -1, 1.5, 1025].map((concurrentTasksPerWorker) => [{ concurrentTasksPerWorker }, RangeError] as const),
  ...[-1, 0.5, 2 ** 16 + 1].map((maxQueue) => [{ maxQueue }, RangeError] as const),
  ...[-1, 0.5, 2 ** 16 + 1].map((retry) => [{ retry }, RangeError] as const),
  ...[0, 1023, 1024.5, 2 ** 28 + 1].map((bufferBytes) => [{ bufferBytes }, RangeError] as const),
  ...[-1, NaN].map((abortGrace) => [{ abortGrace }, RangeError] as const),
  ...[-1, 0.5, 513].map((minThreads) => [{ minThreads }, RangeError] as const),
  ...[0, -1, 0.5, 513].map((maxThreads) => [{ maxThreads }, RangeError] as const),
  [{ minThreads: 3, maxThreads: 2 }, RangeError],
  ...[-1, NaN].map((idleTimeout) => [{ idleTimeout }, RangeError] as const),
  ...[0, 1.5].map((maxTasksPerWorker) => [{ maxTasksPerWorker }, RangeError] as const),
  ...[0, 1.5].map((maxHeapPerWorker) => [{ maxHeapPerWorker }, RangeError] as const),
  ...['minThreads', 'maxThreads', 'idleTimeout'].map((name) => [{ size: 2, [name]: 1 }, TypeError] as const),
  ...['sizes', 'timeout', 'taskQueue', 'priority', 'minThread', 'eval', 'transferList', 'trackUnmanagedFd'].map(
    (name) => [{ [name]: 1 }, TypeError] as const,
  ),
  ...NUMBERS.map((name) => [{ [name]: '1' }, TypeError] as const),
  [{ atomics: 'never' }, TypeError],
  [{ arena: {} }, TypeError],
  ...['', 5, {}].map((name) => [{ name }, TypeError] as const),
  ...['', 5, {}, null, undefined, '/nowhere/at/all.mjs', 'file://%'].map(
    (filename) => [{ filename }, TypeError] as const,
  ),
];

test.each(WRONG)('the constructor refuses %o', (options, error) => {
  expect(() => new WorkerPool({ filename: TASKS, ...options })).toThrow(error);
});

test.each(['idleTimeout', 'abortGrace'])('an error about %s names it', (name) => {
  expect(() => new WorkerPool({ filename: TASKS, [name]: -1 })).toThrow(`${name} must be 0 ms or more: received -1`);
});

test.each([[undefined], [null], [5], ['text']])('the constructor refuses %o as options', (options) => {
  expect(() => new WorkerPool(options as unknown as WorkerPoolOptions)).toThrow(TypeError);
});

const WRONG_RUNS: readonly (readonly [options: unknown, error: typeof TypeError | typeof RangeError])[] = [
  ...[null, 5, 'text'].map((options) => [options, TypeError] as const),
  ...['', 5].map((name) => [{ name }, TypeError] as const),
  ...['', 5, '/nowhere/at/all.mjs'].map((filename) => [{ filename }, TypeError] as const),
  ...[5, null, {}, { aborted: false }].map((signal) => [{ signal }, TypeError] as const),
  ...[-1, NaN].map((timeout) => [{ timeout }, RangeError] as const),
  [{ timeout: '5' }, TypeError],
  [{ transferList: {} }, TypeError],
  ...[-1, 0.5, 2 ** 16 + 1].map((retry) => [{ retry }, RangeError] as const),
  [{ retry: '1' }, TypeError],
  ...['5', NaN, null].map((priority) => [{ priority }, TypeError] as const),
  ...['timeoutMs', 'priorities', 'abortSignal', 'transfer'].map((name) => [{ [name]: 5 }, TypeError] as const),
  [{ signal: { aborted: false, addEventListener: () => undefined, throwIfAborted: () => undefined } }, TypeError],
];

test('run() rejects with a typed error for invalid options, and no task begins', () =>
  withPool({}, async (pool) => {
    for (const [options, error] of WRONG_RUNS) {
      expect(await failureOf(pool.run(1, options as never)), JSON.stringify(options)).toBeInstanceOf(error);
      expect(await failureOf(pool.map([1], options as never)), JSON.stringify(options)).toBeInstanceOf(error);
    }
    expect(await pool.run(1)).toBe(1);
    expect(pool.stats()).toMatchObject({ completed: 1, failed: 0, queued: 0, waiting: 0, running: 0 });
  }));

// Fails if `tryRun` returns the rejected promise of `run` instead.
test('tryRun() throws for invalid options', () =>
  withPool({}, (pool) => {
    const rejected: Promise<unknown>[] = [];
    const call = (): void => {
      const result = pool.tryRun(1, { timeout: -1 });
      if (result !== undefined) rejected.push(failureOf(result));
    };
    expect(call).toThrow(RangeError);
    return Promise.all(rejected);
  }));

test('the error for an unknown option names it and the known options', () =>
  withPool({}, async (pool) => {
    expect(() => new WorkerPool({ filename: TASKS, taskQueue: 5 } as never)).toThrow(
      /"taskQueue".*filename.*maxThreads/,
    );
    expect(await failureOf(pool.run(1, { timeoutMs: 5 } as never))).toMatchObject({
      message: expect.stringMatching(/"timeoutMs".*timeout/) as string,
    });
    expect(() => pool.tryRun(1, { timeoutMs: 5 } as never)).toThrow('"timeoutMs"');
    expect(await failureOf(pool.map([1], { timeoutMs: 5 } as never))).toMatchObject({
      message: expect.stringContaining('"timeoutMs"') as string,
    });
  }));

test('util.inspect() shows a pool in one line', () =>
  withPool({ size: 2 }, async (pool) => {
    await pool.run(1);
    expect(inspect(pool)).toBe('WorkerPool { workers: 2, running: 0, stopping: 0, queued: 0, waiting: 0 }');
    expect(inspect({ deep: [{ pool }] }, { depth: 5 })).toContain('WorkerPool { workers: 2');
  }));

test('a pool cannot be posted', () =>
  withPool({}, async (pool) => {
    expect(() => structuredClone(pool)).toThrow('a worker pool cannot be posted to another thread');
    await pool.close();
  }));

test.each([
  ['execArgv', ['--no-such-flag']],
  ['env', { NODE_OPTIONS: '--no-such-flag' }],
])('a worker starts without the %s of Object.prototype', async (name, value) => {
  Object.defineProperty(Object.prototype, name, { value, configurable: true });
  let pool: WorkerPool<number, number>;
  try {
    pool = new WorkerPool({ filename: TASKS, name: 'double', size: 1 });
  } finally {
    Reflect.deleteProperty(Object.prototype, name);
  }
  expect(await pool.run(21)).toBe(42);
  await pool.close();
});
