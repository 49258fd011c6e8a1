import { expect, test } from 'vitest';
import { failureOf, TASKS, withPool, WorkerPool, type WorkerPoolOptions } from './support/pool.ts';

const NUMBERS = ['size', 'concurrentTasksPerWorker', 'maxQueue', 'retry', 'bufferBytes', 'abortGrace'];
const WRONG: readonly (readonly [options: Record<string, unknown>, error: typeof TypeError | typeof RangeError])[] = [
  ...[0, -1, 1.5, NaN, Infinity, 513].map((size) => [{ size }, RangeError] as const),
  ...[0, -1, 1.5, 1025].map((concurrentTasksPerWorker) => [{ concurrentTasksPerWorker }, RangeError] as const),
  ...[-1, 0.5, 2 ** 16 + 1].map((maxQueue) => [{ maxQueue }, RangeError] as const),
  ...[-1, 0.5, 2 ** 16 + 1].map((retry) => [{ retry }, RangeError] as const),
  ...[0, 1023, 1024.5, 2 ** 28 + 1].map((bufferBytes) => [{ bufferBytes }, RangeError] as const),
  ...[-1, NaN].map((abortGrace) => [{ abortGrace }, RangeError] as const),
  ...NUMBERS.map((name) => [{ [name]: '1' }, TypeError] as const),
  [{ atomics: 'never' }, TypeError],
  [{ arena: {} }, TypeError],
  ...['', 5, {}].map((name) => [{ name }, TypeError] as const),
  ...['', 5, {}, null, undefined, '/nowhere/at/all.mjs', 'file://%'].map((filename) => [{ filename }, TypeError] as const),
];

test.each(WRONG)('a pool is not made with %o', (options, error) => {
  expect(() => new WorkerPool({ filename: TASKS, ...options })).toThrow(error);
});

test.each([[undefined], [null], [5], ['text']])('a pool is not made with %o for options', (options) => {
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
];

test('run rejects with a typed error for options that are none, and begins nothing', () =>
  withPool({}, async (pool) => {
    for (const [options, error] of WRONG_RUNS) {
      expect(await failureOf(pool.run(1, options as never)), JSON.stringify(options)).toBeInstanceOf(error);
      expect(await failureOf(pool.map([1], options as never)), JSON.stringify(options)).toBeInstanceOf(error);
    }
    expect(await pool.run(1)).toBe(1);
    expect(pool.stats()).toMatchObject({ completed: 1, failed: 0, queued: 0, waiting: 0, running: 0 });
  }));

// It gives the rejected promise of `run`.
test('tryRun throws for options that are none, as its docstring says', () =>
  withPool({}, (pool) => {
    const rejected: Promise<unknown>[] = [];
    const call = (): void => {
      const result = pool.tryRun(1, { timeout: -1 });
      if (result !== undefined) rejected.push(failureOf(result));
    };
    expect(call).toThrow(RangeError);
    return Promise.all(rejected);
  }),
);
