// The patrol of a mutex's waiters that ends turns (core: turn.ts).

import { MUTEX_TRAITS, patrolInTurns, type Kind, type Patrol, type Place } from '@sluice/core/internal';
import type { MutexSteps } from './kinds.ts';

/** Returns the patrol that the waiters of a mutex with the order 'turns' perform. */
export function mannerAt(place: Place, kind: Kind<MutexSteps>): { readonly patrol: Patrol } {
  const kernel = place.context.load(kind).kernel;
  return { patrol: patrolInTurns(place, MUTEX_TRAITS, (element) => kernel.makeDue(element)) };
}
