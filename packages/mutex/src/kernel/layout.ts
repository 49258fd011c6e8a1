// A mutex's own words, in the line of its bouncer.

/** How often its owner relocked a recursive mutex. In the place of RELEASED_FOR_OTHERS: no agent releases a bouncer's permits for others. */
export const DEPTH: i32 = 32;

/** The maximum depth of a recursive mutex. */
export const MOST_DEPTH: i32 = 65_535;
