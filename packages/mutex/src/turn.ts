// A turn at a mutex (core: turn.ts).

import { MUTEX_TRAITS, waitersInTurns, type Kind, type Place } from '@sluice/core/internal';
import type { MutexKernel, MutexSteps } from './kinds.ts';

/** How a mutex's waiters behave in turns. */
export function mannerAt(place: Place, kind: Kind<MutexSteps>): ReturnType<typeof waitersInTurns> {
  const kernel = place.context.kernel as MutexKernel;
  return waitersInTurns(place, MUTEX_TRAITS, place.context.load(kind).steps, (element) => kernel.makeDue(element));
}
