// The state of a cell at which no agent waits or sets a value.

import type { Arena } from '@sluice/core';
import { expect } from 'vitest';
import { compact } from '../../../../core/src/agent/compaction.ts';
import { isOnlySpent } from '../../../../core/test/support/in-order.ts';
import { contextOf } from '../../../../core/src/arena/arena.ts';
import { BUCKET_SHIFT, BUCKETS, GRANT, HEADER_BUCKET_MASK } from '../../../../core/src/kernel/layout.ts';
import type { WatchCell } from '../../../src/index.ts';
import { FREE_SLOTS, SLOT_MASK } from '../../../src/watch/kernel/layout.ts';

/** Returns the slots that are not free, except that of the newest value. */
export function slotsInUse<T>(arena: Arena, { handle: { address } }: WatchCell<T>): number {
  const { words } = contextOf(arena);
  return ~(words.load32(address + FREE_SLOTS) | (1 << (words.load32(address + GRANT) & SLOT_MASK))) & 0xff;
}

/** Checks that there are no waiters, that no slot is in use, and that no element is in a chain of the arena. */
export function expectCellAtRest<T>(arena: Arena, cell: WatchCell<T>): void {
  const { words } = contextOf(arena);
  expect([cell.inspect().waiters, slotsInUse(arena, cell)]).toEqual([[], 0]);
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  // Waiters that cancelled beside others leave their elements to the next agent that gathers.
  if (isOnlySpent(words)) compact(contextOf(arena));
  for (let bucket = 0; bucket <= words.get32(HEADER_BUCKET_MASK); bucket++) {
    expect(words.load32(BUCKETS + (bucket << BUCKET_SHIFT))).toBe(0);
  }
}
