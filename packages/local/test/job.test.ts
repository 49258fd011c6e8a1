// Tests jobs that run once in all processes at each of their times, and strict limits.

import { expect, test } from 'vitest';
import { failures, JOBS, jobs, runners } from '../../remote/test/programs/jobs.ts';
import { strictStarts, STRICT_STARTS } from '../../remote/test/programs/strict-limit.ts';
import { makeOpen } from './support/spaces.ts';

test('a job runs in one process at each of its times', async () => {
  const open = makeOpen();
  expect(await jobs([await open(), await open(), await open()])).toEqual(JOBS);
});

test.each([true, false])('a job whose process ends runs again if it may: %s', async (rerun) => {
  const open = makeOpen();
  expect(await runners(await open(), await open(), rerun)).toEqual(rerun ? ['first', 'second'] : ['first']);
});

test.each([true, false])('a job whose run throws runs again if it may: %s', async (rerun) => {
  const open = makeOpen();
  const ends = await failures(await open(), await open(), rerun);
  expect(ends).toEqual(rerun ? ['no connection', 'second'] : ['no connection']);
});

test('a strict limit starts so many calls of all processes, and keeps the others waiting', async () => {
  const open = makeOpen();
  expect(await strictStarts(await open(), await open())).toEqual(STRICT_STARTS);
});
