// What a table of names has in the arena.

import type { Arena } from '../../../core/src/index.ts';

/** The blocks of locks in an arena: those of tables and of their entries. */
export function lockBlocks(arena: Arena): number {
  return arena.inspect().blocks.filter(({ kind }) => kind === 'lock').length;
}
