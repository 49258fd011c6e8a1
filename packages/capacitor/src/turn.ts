// What an agent knows about itself at a turnstile. All of its instances of the turnstile share it.

import { MUTEX_TRAITS, ofLocalState, OwnTurn, type Place } from '@sluice/core/internal';

export class Turn extends OwnTurn {
  /** Tasks of this agent that are inside. */
  inside = 0;
}

export const turnAt: (place: Place) => Turn = ofLocalState(
  (place) => new Turn(place, { ...MUTEX_TRAITS, mayChangeHands: false }),
);
