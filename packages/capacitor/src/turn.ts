// What an agent knows about its own turn at a turnstile. All of its instances of the turnstile share it.

import { AdaptiveBudget, ofLocalState, TURN_MS, type Place } from '@sluice/core/internal';

export class Turn {
  /** Tasks of this agent that are inside. */
  inside = 0;
  /** How often the agent entered during this turn since another agent began to wait. */
  passes = 0;
  /** How often it may enter: B. */
  limit = 0;
  /** The number of passes at which it next reads the clock. The first reads come early in a turn. */
  check = 0;
  /** The agent went out and intends to come back. */
  away = false;
  /** Other agents wait. The agent does not give up its turn each time it goes out. */
  contended = false;
  /** When the turn became contended, on the clock of `parking`. */
  since = 0;
  /** Predicts whether the agent comes back in time. */
  readonly returns = new AdaptiveBudget();

  /** The agent enters in a turn that begins. */
  begin(): void {
    if (this.away) this.returns.note(false);
    this.inside += 1;
    this.passes = 1;
    this.contended = false;
    this.away = false;
  }

  isUsedUp(now: number): boolean {
    return this.passes >= this.limit || now - this.since >= TURN_MS;
  }
}

export const turnAt: (place: Place) => Turn = ofLocalState(() => new Turn());
