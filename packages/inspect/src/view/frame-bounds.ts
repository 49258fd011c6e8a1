// The bounds of a frame.

/** The most primitives, and the most agents. */
export const MAX_ROWS = 500;
/** The most holders, and the most waiters, that a primitive is drawn with. */
export const MAX_MARKS = 40;
/** The most names in a cell. */
export const MAX_NAMES = 4;
/** The most lines of all findings. */
export const MAX_FINDING_LINES = 60;
/** The most characters of a filter. */
export const MAX_FILTER = 200;
/** Frames take at most one ms in 50 ms, unless one frame takes so long that MOST_MS cuts the pause. */
const SHARE = 50;
/** A little less than a tenth of a second: ten frames a second are on time. */
const LEAST_MS = 95;
const MOST_MS = 10_000;
/** Of the first frames, whose code is not compiled yet. */
const MOST_AT_FIRST_MS = 250;

/** Returns the ms from one frame to the next if a frame takes `cost` ms. `isFirst`: for the first frames of a view. */
export function pauseAfter(cost: number, isFirst: boolean): number {
  return Math.min(isFirst ? MOST_AT_FIRST_MS : MOST_MS, Math.max(LEAST_MS, cost * SHARE));
}
