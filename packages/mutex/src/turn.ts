// A turn at a mutex (core: turn.ts).

import { turnsAt, type Patrol, type Place, type TurnTraits } from '@sluice/core/internal';
import type { MutexKernel } from './kinds.ts';
import { DUE, SUCCESSOR } from './kernel/layout.ts';

export const TURN_TRAITS: TurnTraits = { successor: SUCCESSOR, due: DUE };

/** What a waiter does that has become the successor. */
export function patrolAt(place: Place): Patrol {
  const kernel = place.context.kernel as MutexKernel;
  return turnsAt(place, TURN_TRAITS, (element) => kernel.makeDue(element));
}
