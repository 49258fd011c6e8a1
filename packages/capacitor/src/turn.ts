// What an agent knows of its own turn at a turnstile: one for all its instances there.

import { AdaptiveBudget, ofLocalState, type Place } from '@sluice/core/internal';

/** How long a turn should take: some fifty times what it costs to wake the next agent. */
export const TURN_MS = 0.5;
/** B follows what was measured by so much of the difference, as a turn may be slow by chance. */
const GAIN = 1 / 8;
const MOST_PASSES = 1 << 24;

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
  readonly returns = new AdaptiveBudget();
}

export const turnAt: (place: Place) => Turn = ofLocalState(() => new Turn());

/** B after a turn of so many passes in `tookMs`. */
export function adapted(before: number, passes: number, tookMs: number): number {
  const fitting = (passes * TURN_MS) / Math.max(tookMs, TURN_MS / 16);
  const step = (fitting - before) * GAIN;
  // Away from where it is, or it would stay four above or below.
  const next = before + (step < 0 ? Math.floor(step) : Math.ceil(step));
  return Math.min(Math.max(next, 1), MOST_PASSES);
}
