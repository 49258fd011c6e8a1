// Tests that the types refuse the options that the pool refuses at run time. An unnecessary `@ts-expect-error` fails
// the type check.

import { expect, test } from 'vitest';
import { TASKS, WorkerPool, type WorkerPoolOptions } from './support/pool.ts';

const filename = TASKS;

test.each(['minThreads', 'maxThreads', 'idleTimeout'])('the options refuse size together with %s', (other) => {
  expect(() => new WorkerPool({ filename, size: 1, [other]: 1 })).toThrow(TypeError);
});

test('the types refuse size together with an option of workers that start and end with the load', () => {
  // @ts-expect-error: size is the fixed number of workers.
  const withLeast: WorkerPoolOptions = { filename, size: 1, minThreads: 1 };
  // @ts-expect-error: size is the fixed number of workers.
  const withMost: WorkerPoolOptions = { filename, size: 1, maxThreads: 1 };
  // @ts-expect-error: size is the fixed number of workers.
  const withTimeout: WorkerPoolOptions = { filename, size: 1, idleTimeout: 1 };
  const right: WorkerPoolOptions[] = [
    { filename },
    { filename, size: 1 },
    { filename, minThreads: 1, maxThreads: 2, idleTimeout: 5 },
  ];
  expect([withLeast, withMost, withTimeout, ...right]).toHaveLength(6);
});
