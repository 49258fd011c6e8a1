// Reports the blocks of a table of names in the arena.

import type { Arena, BlockReport } from '../../../core/src/index.ts';
import { BLOCK_LINE, GRANT, OFFICE, OFFICE_HIGH, TICKET } from '../../../core/src/kernel/layout.ts';
import { IS_RESIDENT, STATE, TABLE_TAG } from '../../src/table/layout.ts';
import { ALL } from '../../src/web-locks/request-queue.ts';

/** Returns the blocks of a kind, without residents: unused entries that stay for the next use of their keys. */
function used(arena: Arena, kind: string): readonly BlockReport[] {
  const words = new Int32Array(arena.handle.memory.buffer);
  const wordOf = (entry: number, word: number): number => words[(entry + word) / 4] ?? 0;
  const isFree = (entry: number): boolean =>
    kind === 'lock'
      ? wordOf(entry, OFFICE) === 0 && wordOf(entry, OFFICE_HIGH) === 0
      : wordOf(entry, GRANT) - wordOf(entry, TICKET) === ALL;
  const isIdle = (entry: number): boolean =>
    wordOf(entry, BLOCK_LINE + STATE) === IS_RESIDENT && wordOf(entry, BLOCK_LINE + TABLE_TAG) > 0 && isFree(entry);
  return arena
    .inspect()
    .blocks.filter((block) => block.kind === kind && !(block.bytes > BLOCK_LINE && isIdle(block.address)));
}

/** Returns the blocks of locks in an arena: those of tables and of entries in use. */
export function lockBlocks(arena: Arena): number {
  return used(arena, 'lock').length;
}

/** Returns the lines of lock managers in use. */
export function lines(arena: Arena): readonly BlockReport[] {
  return used(arena, 'semaphore');
}
