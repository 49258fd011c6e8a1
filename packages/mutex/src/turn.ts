// A turn at a mutex (core: turn.ts).

import { MUTEX_TRAITS, patrolInTurns, type Kind, type Patrol, type Place } from '@sluice/core/internal';
import type { MutexSteps } from './kinds.ts';

/** How a mutex's waiters behave in turns. */
export function mannerAt(place: Place, kind: Kind<MutexSteps>): { readonly patrol: Patrol } {
  const kernel = place.context.load(kind).kernel;
  return { patrol: patrolInTurns(place, MUTEX_TRAITS, (element) => kernel.makeDue(element)) };
}
