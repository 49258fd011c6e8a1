// Tests that `hasCode` of the core accepts the pool's codes, with the fields of its errors.

import { hasCode, TimeoutError, type ErrorsByCode } from '@sluice/core';
import { expect, expectTypeOf, test } from 'vitest';
import { PoolClosedError, TaskFileError, WorkerDiedError, type PoolErrorCode } from '../src/index.ts';

test('hasCode() recognizes the errors of a pool by their codes', () => {
  const errors = [
    new WorkerDiedError('died', 7),
    new TaskFileError('no file'),
    new PoolClosedError('closed'),
    new TimeoutError('late'),
  ];
  const found = (['SLUICE_WORKER_DIED', 'SLUICE_TASK_FILE', 'SLUICE_POOL_CLOSED', 'SLUICE_TIMEOUT'] as const).map(
    (code) => errors.findIndex((error) => hasCode(error, code)),
  );
  expect(found).toEqual([0, 1, 2, 3]);
});

test('hasCode() narrows an error to the fields of its code', () => {
  const failure: unknown = new WorkerDiedError('died', 7);
  if (!hasCode(failure, 'SLUICE_WORKER_DIED')) throw failure;
  expectTypeOf(failure.exitCode).toEqualTypeOf<number>();
  expectTypeOf<PoolErrorCode>().toExtend<keyof ErrorsByCode>();
  // @ts-expect-error -- a code that no package has
  expect(hasCode(failure, 'SLUICE_WORKER_DEAD')).toBe(false);
  expect(failure.exitCode).toBe(7);
});
