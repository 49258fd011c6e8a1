// What an agent knows about its own turn at a turnstile. All of its instances of the turnstile share it.

import { AdaptiveBudget, ofLocalState, type Place } from '@sluice/core/internal';

/** The target length of a turn: about fifty times the cost of waking the next agent. */
export const TURN_MS = 0.5;
/** B moves by this share of the difference to what was measured, because a single turn may be slow by chance. */
const GAIN = 1 / 8;
const MOST_PASSES = 1 << 24;

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
}

export const turnAt: (place: Place) => Turn = ofLocalState(() => new Turn());

/** B after a turn of `passes` passes that took `tookMs`. */
export function adapted(before: number, passes: number, tookMs: number): number {
  const fitting = (passes * TURN_MS) / Math.max(tookMs, TURN_MS / 16);
  const step = (fitting - before) * GAIN;
  // Rounded away from `before`: otherwise B would stop four above or below the target.
  const next = before + (step < 0 ? Math.floor(step) : Math.ceil(step));
  return Math.min(Math.max(next, 1), MOST_PASSES);
}
