// The terms of a limit with an interval, and the unit of its times.

import { SLIDING } from '../kernel/layout.ts';

/** The terms of a limit with an interval. */
export interface IntervalTerms {
  /** In ms. */
  readonly interval: number;
  readonly intervalCap: number;
  /** FIXED, CARRYING or SLIDING. */
  readonly mode: number;
}

/** The interval of a limit, in its report. */
export interface IntervalReport {
  /** In ms. */
  readonly interval: number;
  readonly intervalCap: number;
  readonly strict: boolean;
  readonly carryoverIntervalCount: boolean;
  /**
   * The number of starts that count now: those of the current interval, or with `strict` those of the last `interval`
   * ms.
   */
  readonly startCount: number;
  /** The time until the interval lets another call start, in ms. 0: now. */
  readonly opensIn: number;
}

/** One tick is a sixteenth of a microsecond. A limit cannot tell closer times apart. */
export const TICKS_PER_MS = 16_000;

/**
 * Returns the number of parts of an interval, the unit of the limit's times. With this number, times of 17 years stay
 * below 2^53, together with the counts of fixed windows. A result below 1 means that the starts are too close for a
 * limit to tell apart.
 */
export function partsOf({ interval, intervalCap, mode }: IntervalTerms): number {
  const ticks = interval * TICKS_PER_MS;
  // SLIDING needs this, too: each start gets a time of its own, so an interval must have at least as many parts as
  // starts.
  if (ticks < intervalCap + 1) return 0;
  return Math.floor(mode === SLIDING ? ticks : ticks / (intervalCap + 1));
}
