// What a table of names has in the arena.

import { contextOf } from '../../../core/src/arena/arena.ts';
import type { Arena, BlockReport } from '../../../core/src/index.ts';
import { BLOCK_LINE } from '../../../core/src/kernel/layout.ts';
import { IS_IDLE, STATE, TABLE_TAG } from '../../src/layout.ts';

/** The blocks of a kind, without entries that are unused and stay for the next use of their keys. */
function used(arena: Arena, kind: string): readonly BlockReport[] {
  const { words } = contextOf(arena);
  const isIdle = (entry: number): boolean => words.load32(entry + BLOCK_LINE + STATE) === IS_IDLE && words.load32(entry + BLOCK_LINE + TABLE_TAG) > 0;
  return arena.inspect().blocks.filter((block) => block.kind === kind && !(block.bytes > BLOCK_LINE && isIdle(block.address)));
}

/** The blocks of locks in an arena: those of tables, and of their entries that are in use. */
export function lockBlocks(arena: Arena): number {
  return used(arena, 'lock').length;
}

/** The lines of lock managers that are in use. */
export function lines(arena: Arena): readonly BlockReport[] {
  return used(arena, 'semaphore');
}
