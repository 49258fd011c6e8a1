// What an agent knows of its own turn at a turnstile: one for all its instances there.

import { Bet, type Place } from '@sluice/core/internal';
import { ofStanding } from './of-standing.ts';

export class Turn {
  /** Tasks of this agent that are inside. */
  inside = 0;
  /** How often it went in during this turn, since others wait. */
  passes = 0;
  /** How often it may: B. */
  limit = 0;
  /** After so many passes it looks at the clock: sooner in a turn than later. */
  check = 0;
  /** It went out and means to come back. */
  away = false;
  /** Others wait: it does not give its turn up whenever it goes out. */
  contended = false;
  /** When the turn became contended, on the clock of `parking`. */
  since = 0;
  /** Whether it comes back in time, when it means to. */
  readonly returns = new Bet();
}

export const turnAt: (place: Place) => Turn = ofStanding(() => new Turn());
