// Tests limits with priorities, and with a maximum of waiting calls, between processes.

import { expect, test } from 'vitest';
import * as programs from '../../remote/test/programs/full-limits.ts';
import { makeOpen } from './support/spaces.ts';

test('waiting calls of a process start by priority', async () => {
  expect(await programs.priorities(await makeOpen()())).toEqual(programs.PRIORITIES);
});

test('calls beyond maxWaiting are shed, over all processes', async () => {
  const open = makeOpen();
  expect(await programs.shedding(await open(), await open())).toEqual(programs.SHEDDING);
});

test('the oldest call of the lowest priority is shed on request', async () => {
  expect(await programs.sheddingOldest(await makeOpen()())).toEqual(programs.SHEDDING_OLDEST);
});

test('no call that clearQueue dropped is counted or runs', async () => {
  expect(await programs.clearing(await makeOpen()())).toEqual(programs.CLEARING);
});

test('a limit refuses what it cannot have by name', async () => {
  expect(await programs.refusedLimits(await makeOpen()())).toEqual(programs.REFUSED_LIMITS);
});
