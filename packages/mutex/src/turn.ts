// A turn at a mutex (core: turn.ts).

import { lineInTurns, turnsAt, type Kind, type Place, type QueueBehaviour, type TurnTraits } from '@sluice/core/internal';
import type { MutexKernel, MutexSteps } from './kinds.ts';
import { DUE, SUCCESSOR } from './kernel/layout.ts';

export const TURN_TRAITS: TurnTraits = { successor: SUCCESSOR, due: DUE, isFree: (owner) => owner === 0 };

/** How a mutex's waiters behave in turns. */
export function mannerAt(place: Place, kind: Kind<MutexSteps>): Required<Pick<QueueBehaviour, 'line' | 'patrol'>> {
  const kernel = place.context.kernel as MutexKernel;
  return {
    line: lineInTurns(place, TURN_TRAITS, place.context.load(kind).steps),
    patrol: turnsAt(place, TURN_TRAITS, (element) => kernel.makeDue(element)),
  };
}
