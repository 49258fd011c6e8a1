// The length of a turn: the time for which one agent may pass a lock again and again while others wait.

/** The maximum length of a turn in ms: about fifty times the cost of waking the next agent. */
export const TURN_MS = 0.5;
/**
 * The target length in ms to which the number of passes in a turn is adapted. It is less than a turn, so that an agent
 * can catch up with others.
 */
const AIM_MS = 0.8 * TURN_MS;
/**
 * The share of the difference to the measured value by which the number of passes moves. A single turn may be slow by
 * chance.
 */
const GAIN = 1 / 8;
/**
 * The number of passes does not move while turns take the target time within this factor. Otherwise agents whose turns
 * follow each other would get different numbers.
 */
const TOLERANCE = 5 / 4;
const MAX_PASSES = 1 << 22;

/**
 * Returns the number of passes in a turn, after a turn of `passes` passes that took `tookMs`. `before` is the previous
 * number.
 */
export function adapted(before: number, passes: number, tookMs: number): number {
  const fitting = (passes * AIM_MS) / Math.max(tookMs, TURN_MS / 16);
  if (fitting <= before * TOLERANCE && fitting >= before / TOLERANCE) return before;
  const step = (fitting - before) * GAIN;
  // Round away from `before`: otherwise the number would stop four above or below the target.
  const next = before + (step < 0 ? Math.floor(step) : Math.ceil(step));
  return Math.min(Math.max(next, 1), MAX_PASSES);
}
