// The state of a latch whose count is 0 and at which no agent waits.

import type { Arena } from '@sluice/core';
import { expect } from 'vitest';
import { compact } from '../../../core/src/agent/compaction.ts';
import { isOnlySpent } from '../../../core/test/support/in-order.ts';
import { contextOf } from '../../../core/src/arena/arena.ts';
import { BUCKET_SHIFT, BUCKETS, HEADER_BUCKET_MASK } from '../../../core/src/kernel/layout.ts';
import type { CountdownLatch } from '../../src/index.ts';

/**
 * Checks that the count is 0, that there are no claims and no waiters, and that no element is in a chain of the arena.
 */
export function expectLatchAtRest(arena: Arena, latch: CountdownLatch): void {
  const { words } = contextOf(arena);
  expect(latch.inspect()).toMatchObject({ count: 0, claimedBy: [], waiters: [] });
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  // Waiters that cancelled beside others leave their elements to the next agent that gathers.
  if (isOnlySpent(words)) compact(contextOf(arena));
  for (let bucket = 0; bucket <= words.get32(HEADER_BUCKET_MASK); bucket++) {
    expect(words.load32(BUCKETS + (bucket << BUCKET_SHIFT))).toBe(0);
  }
}
