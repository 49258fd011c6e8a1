// Where OFFICE records a mutex's turn, for a mutex with the order 'turns' (core: locks/turn.ts). The successor ends a
// turn whose owner does not return (`turnChecks`). The owner ends every other turn (`OwnTurn`).

import { turnChecks, type Kind, type TimedChecks, type BlockRef, type TurnTraits } from '@sluice/core/internal';
import { DUE, SUCCESSOR } from './kernel/layout.ts';
import type { MutexSteps } from './kinds.ts';

/** The traits of a mutex, and of any lock with the box office of a mutex. */
export const MUTEX_TRAITS: TurnTraits = { successor: SUCCESSOR, due: DUE, isFree: (owner) => owner === 0 };

/** Returns the timed checks of the waiters of a mutex with the order 'turns'. */
export function turnBehaviour(ref: BlockRef, kind: Kind<MutexSteps>): { readonly timedChecks: TimedChecks } {
  const kernel = ref.context.load(kind).kernel;
  return { timedChecks: turnChecks(ref, MUTEX_TRAITS, (element) => kernel.makeMutexDue(element)) };
}
