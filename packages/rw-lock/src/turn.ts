// A turn of writers at a read-write lock (core: turn.ts).

import { asLine, BLOCK_LINE, FLAG_TURNS, FLAGS, turnsAt, type Patrol, type Place, type TurnTraits } from '@sluice/core/internal';
import { DUE, SUCCESSOR } from './kernel/layout.ts';
import type { RwKernel } from './kinds.ts';

export function isInTurns({ context, address }: Place): boolean {
  return (context.words.get32(address + FLAGS) & FLAG_TURNS) !== 0;
}

export function turnTraits({ address }: Place): TurnTraits {
  return { successor: SUCCESSOR, due: DUE, line: asLine(address + BLOCK_LINE) };
}

/** What a waiting writer does that has become the successor. */
export function patrolAt(place: Place): Patrol {
  const kernel = place.context.kernel as RwKernel;
  return turnsAt(place, turnTraits(place), (element) => kernel.makeWriterDue(element));
}
