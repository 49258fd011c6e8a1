// The state of an event count at which no agent waits.

import type { Arena } from '@sluice/core';
import { expect } from 'vitest';
import { compact } from '../../../../core/src/agent/compaction.ts';
import { contextOf } from '../../../../core/src/arena/arena.ts';
import { BUCKET_SHIFT, BUCKETS, HEADER_BUCKET_MASK } from '../../../../core/src/kernel/layout.ts';
import { isOnlySpent } from '../../../../core/test/support/in-order.ts';
import type { EventCount } from '../../../src/index.ts';

/** Checks that there are no waiters, and that no element is in a chain of the arena. */
export function expectEventCountAtRest(arena: Arena, event: EventCount): void {
  const { words } = contextOf(arena);
  expect(event.inspect().waiters).toEqual([]);
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  // Waiters that cancelled beside others leave their elements to the next agent that gathers.
  if (isOnlySpent(words)) compact(contextOf(arena));
  for (let bucket = 0; bucket <= words.get32(HEADER_BUCKET_MASK); bucket++) {
    expect(words.load32(BUCKETS + (bucket << BUCKET_SHIFT))).toBe(0);
  }
}
