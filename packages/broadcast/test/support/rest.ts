// The state of a broadcast at which no agent waits or publishes.

import type { Arena } from '@sluice/core';
import { expect } from 'vitest';
import { compact } from '../../../core/src/agent/compaction.ts';
import { isOnlySpent } from '../../../core/test/support/in-order.ts';
import { contextOf } from '../../../core/src/arena/arena.ts';
import { BUCKET_SHIFT, BUCKETS, FLAG_LAST, FLAGS, HEADER_BUCKET_MASK } from '../../../core/src/kernel/layout.ts';
import type { Broadcast } from '../../src/index.ts';
import { INDEX_AT, INDEX_STRIDE, RING_MASK, ROOM_BEFORE, SPARES, SPARES_AT } from '../../src/kernel/layout.ts';

/** The line of the broadcast's values. */
export function streamOf<T>(arena: Arena, { handle: { address } }: Broadcast<T>): number {
  return (contextOf(arena).words.get32(address + FLAGS) & FLAG_LAST) !== 0 ? address : address + ROOM_BEFORE;
}

/** Returns the slots in the index and the spare slots, in order. */
export function slotsThere<T>(arena: Arena, stream: Broadcast<T>): number[] {
  const { words } = contextOf(arena);
  const address = streamOf(arena, stream);
  const capacity = 1 + words.get32(address + RING_MASK);
  const kept = Array.from({ length: capacity }, (_, entry) => words.load32(address + INDEX_AT + entry * INDEX_STRIDE));
  const spares = Array.from({ length: SPARES }, (_, place) => words.load32(address + SPARES_AT + 4 * place) - 1).filter(
    (slot) => slot >= 0,
  );
  return [...kept, ...spares].sort((a, b) => a - b);
}

/** Returns the number of slots that publishers have, or have lost. */
export function slotsOut<T>(arena: Arena, stream: Broadcast<T>): number {
  return stream.capacity + SPARES - slotsThere(arena, stream).length;
}

/** Checks that there are no waiters, that each slot is in one place, and that no element is in a chain of the arena. */
export function expectAtRest<T>(arena: Arena, stream: Broadcast<T>): void {
  const { words } = contextOf(arena);
  const { waiters, publishers } = stream.inspect();
  expect([waiters, publishers, slotsThere(arena, stream)]).toEqual([
    [],
    [],
    Array.from({ length: stream.capacity + SPARES }, (_, slot) => slot),
  ]);
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  // Waiters that cancelled beside others leave their elements to the next agent that gathers.
  if (isOnlySpent(words)) compact(contextOf(arena));
  for (let bucket = 0; bucket <= words.get32(HEADER_BUCKET_MASK); bucket++) {
    expect(words.load32(BUCKETS + (bucket << BUCKET_SHIFT))).toBe(0);
  }
}
