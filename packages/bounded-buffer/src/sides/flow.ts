// The values that pass a side of a buffer, for a newcomer that checks again before it waits in line.

import type { Flow, BlockRef } from '@sluice/core/internal';
import { POSITION, ROOM } from '../kernel/layout.ts';
import { BESIDE } from '../kernel/outcomes.ts';
import { lineAt, LOCK, PRODUCERS, VALUES } from './lines.ts';

export function flowAt(ref: BlockRef, which: number): Flow {
  const { words } = ref.context;
  const side = lineAt(ref, LOCK, which);
  return {
    units: () => words.load32(side + POSITION),
    values: () => words.load32(side + POSITION + VALUES),
    room: words.get32(lineAt(ref, LOCK, PRODUCERS) + ROOM),
    still: side + ROOM,
    beside: BESIDE,
  };
}
