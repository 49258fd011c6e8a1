// The state of an agent at a turnstile. All of the agent's instances of the turnstile share it.

import { perLineState, OwnTurn, type BlockRef } from '@sluice/core/internal';
import { MUTEX_TRAITS } from '@sluice/mutex/internal';

export class TurnstileTurn extends OwnTurn {
  /** The number of this agent's tasks that are inside. */
  inside = 0;
}

export const turnAt: (ref: BlockRef) => TurnstileTurn = perLineState(
  (ref) => new TurnstileTurn(ref, { ...MUTEX_TRAITS, mayChangeHands: false }),
);
