// An arena without free room, except for the room that a test leaves.

import { Arena, Region, Semaphore } from '../../src/index.ts';

/** The error in the form for `rejects` and `toThrow`. */
export const FULL = { name: 'ArenaFullError', code: 'SLUICE_ARENA_FULL' };

/** Creates an arena of one page that is full, except for one block of the given number of lines. */
export function fullArena<T>(
  prepare: (arena: Arena) => T,
  lines: 0 | 1 | 2 = 0,
): { readonly arena: Arena; readonly prepared: T } {
  const arena = Arena.create({ initialPages: 1, maxPages: 1, policy: { buckets: 16 } });
  const prepared = prepare(arena);
  const room = lines === 0 ? undefined : take(arena, lines);
  for (const bytes of [8192 - 128, 1024]) fill(() => Region.create(bytes, { arena }));
  for (const left of [2, 1] as const) fill(() => take(arena, left));
  room?.free();
  return { arena, prepared };
}

/** Creates the smallest region, which takes two lines. */
function take(arena: Arena, lines: 1 | 2): { free(): void } {
  return lines === 1 ? Semaphore.create(0, { arena, recovery: false }) : Region.create(1, { arena });
}

function fill(takeMore: () => unknown): void {
  try {
    for (;;) takeMore();
  } catch (full) {
    if ((full as { readonly code?: unknown }).code !== FULL.code) throw full;
  }
}
