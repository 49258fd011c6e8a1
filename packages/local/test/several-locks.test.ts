// Tests several locks of a space at once, between processes.

import { expect, test } from 'vitest';
import * as programs from '../../remote/test/programs/several-locks.ts';
import { makeOpen } from './support/spaces.ts';

test('five philosophers in two processes eat without a deadlock', async () => {
  const open = makeOpen();
  expect(await programs.philosophers(await open(), await open())).toEqual(programs.PHILOSOPHERS);
});

test('several locks are of any kind, and are given back together', async () => {
  const open = makeOpen();
  expect(await programs.severalKinds(await open(), await open())).toEqual(programs.SEVERAL_KINDS);
});

test('several locks are refused if they are none, or too many permits', async () => {
  const open = makeOpen();
  expect(await programs.refusedLocks(await open(), await open())).toEqual(programs.REFUSED_LOCKS);
});
