import type { Arena } from '@sluice/core';
import { contextOf } from '@sluice/core/internal';
import { expect } from 'vitest';
import { BUCKETS, BUCKET_SHIFT, CHAIN, HEADER_BUCKET_MASK, SLEEPERS, SLOT } from '../../../core/src/kernel/layout.ts';

/** Checks that no agent waits for a condition: no element is in a chain, and no sleeper is counted at a word. */
export function expectNoWaiters(arena: Arena): void {
  const { words } = contextOf(arena);
  const buckets = Array.from(
    { length: words.get32(HEADER_BUCKET_MASK) + 1 },
    (_, index) => BUCKETS + (index << BUCKET_SHIFT),
  );
  const inUse = buckets.filter((bucket) => [CHAIN, SLOT, SLEEPERS].some((word) => words.load32(bucket + word) !== 0));
  expect(inUse).toEqual([]);
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
}
