// Where OFFICE records a mutex's turn, for a mutex with the order 'turns' (core: locks/turn.ts). The successor ends a
// turn whose owner does not return (`patrolInTurns`). The owner ends every other turn (`OwnTurn`).

import { patrolInTurns, type Kind, type Patrol, type BlockRef, type TurnTraits } from '@sluice/core/internal';
import { DUE, SUCCESSOR } from './kernel/layout.ts';
import type { MutexSteps } from './kinds.ts';

/** The traits of a mutex, and of any lock with the box office of a mutex. */
export const MUTEX_TRAITS: TurnTraits = { successor: SUCCESSOR, due: DUE, isFree: (owner) => owner === 0 };

/** Returns the patrol that the waiters of a mutex with the order 'turns' perform. */
export function turnBehaviour(place: BlockRef, kind: Kind<MutexSteps>): { readonly patrol: Patrol } {
  const kernel = place.context.load(kind).kernel;
  return { patrol: patrolInTurns(place, MUTEX_TRAITS, (element) => kernel.makeMutexDue(element)) };
}
