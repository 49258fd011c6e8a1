// What a table of names has in the arena.

import type { Arena, BlockReport } from '../../../core/src/index.ts';
import { BLOCK_LINE } from '../../../core/src/kernel/layout.ts';
import { IS_IDLE, STATE, TABLE_TAG } from '../../src/layout.ts';

/** The blocks of a kind, without entries that are unused and stay for the next use of their keys. */
function used(arena: Arena, kind: string): readonly BlockReport[] {
  const words = new Int32Array(arena.handle.memory.buffer);
  const wordOf = (entry: number, word: number): number => words[(entry + BLOCK_LINE + word) / 4] ?? 0;
  const isIdle = (entry: number): boolean => wordOf(entry, STATE) === IS_IDLE && wordOf(entry, TABLE_TAG) > 0;
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
