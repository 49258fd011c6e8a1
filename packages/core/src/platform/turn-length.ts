// The length of a turn: the time for which one agent may pass a lock again and again while others wait.

/** How long a turn takes, at most: about fifty times the cost of waking the next agent. */
export const TURN_MS = 0.5;
/** What the number of passes in a turn is adapted to. Less than a turn, so that an agent can catch up with others. */
const AIM_MS = 0.8 * TURN_MS;
/**
 * The number of passes moves by this share of the difference to what was measured: a single turn may be slow by chance.
 */
const GAIN = 1 / 8;
/**
 * It does not move while turns take what they should within this factor: otherwise agents whose turns follow each other
 * would get different ones.
 */
const TOLERANCE = 5 / 4;
const MOST_PASSES = 1 << 22;

/** How many passes fit in a turn, after one of `passes` passes that took `tookMs`. `before`: what was assumed. */
export function adapted(before: number, passes: number, tookMs: number): number {
  const fitting = (passes * AIM_MS) / Math.max(tookMs, TURN_MS / 16);
  if (fitting <= before * TOLERANCE && fitting >= before / TOLERANCE) return before;
  const step = (fitting - before) * GAIN;
  // Rounded away from `before`: otherwise it would stop four above or below the target.
  const next = before + (step < 0 ? Math.floor(step) : Math.ceil(step));
  return Math.min(Math.max(next, 1), MOST_PASSES);
}
