// Waiting calls and the life of a process, a thread that may not block, and the memory of a limit.

import { Arena } from '@sluice/core';
import { expect, test } from 'vitest';
import { runChild } from '../../core/test/support/child.ts';
import { createLimit } from '../src/index.ts';

/** Node's exit code when the event loop is empty and a top-level await has not settled. */
const NOTHING_LEFT = 13;

const CASES: readonly (readonly [what: string, code: number, printed: string])[] = [
  ['no call waits', 0, ''],
  ['a call waits from the start', 0, 'called'],
  ['an unreferenced call waits', NOTHING_LEFT, ''],
  ['a call times out', 0, 'TimeoutError'],
];

const child = (name: string): string => new URL(`children/${name}`, import.meta.url).href;

test.concurrent.each(CASES)('a process in which %s ends with code %i', async (what, code, printed) => {
  expect(await runChild(child('waits.mjs'), what)).toEqual({ code, printed });
});

test('every call works in a thread that may not block', async () => {
  const { printed } = await runChild(child('no-blocking.mjs'));
  expect(printed).toBe('1 2 3 4 5 6 7 8 9, at most 3; 0 run, 0 wait; 1');
});

test('a limit uses 384 bytes of its arena, and all waiting calls of a thread together at most 1,216', () => {
  const arena = Arena.create({ maxPages: 64 });
  // This includes the memory that an agent needs once.
  createLimit(1, { arena });
  const empty = arena.inspect().used;
  const limit = createLimit(1, { arena, rejectOnClear: true });
  expect(arena.inspect().used - empty).toBe(384);
  const [calls, before] = [10_000, arena.inspect().used];
  for (let call = 0; call <= calls; call++) limit(() => undefined).catch(() => undefined);
  expect(limit.inspect()).toMatchObject({ pendingCount: calls, waiters: [{}] });
  expect(arena.inspect().used - before).toBeLessThanOrEqual(1216);
  limit.clearQueue();
});
