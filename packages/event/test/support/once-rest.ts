// The state of a once or a lazy at which no agent runs an initialiser or waits.

import type { Arena } from '@sluice/core';
import { expect } from 'vitest';
import { compact } from '../../../core/src/agent/compaction.ts';
import { isOnlySpent } from '../../../core/test/support/in-order.ts';
import { contextOf } from '../../../core/src/arena/arena.ts';
import { BUCKET_SHIFT, BUCKETS, HEADER_BUCKET_MASK } from '../../../core/src/kernel/layout.ts';
import type { Lazy, Once, OnceState } from '../../src/index.ts';

/**
 * Checks that the once is in that state, without waiters and holder, and that no element is in a chain of the arena.
 */
export function expectOnceAtRest(arena: Arena, once: Once | Lazy<unknown>, state: OnceState): void {
  const { words } = contextOf(arena);
  expect(once.inspect()).toMatchObject({ state, runner: 0, waiters: [] });
  const { address } = once.handle;
  expect(
    arena
      .inspect()
      .agents.flatMap(({ holds }) => holds)
      .filter((held) => held.address === address),
  ).toEqual([]);
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  // Waiters that cancelled beside others leave their elements to the next agent that gathers.
  if (isOnlySpent(words)) compact(contextOf(arena));
  for (let bucket = 0; bucket <= words.get32(HEADER_BUCKET_MASK); bucket++) {
    expect(words.load32(BUCKETS + (bucket << BUCKET_SHIFT))).toBe(0);
  }
}
