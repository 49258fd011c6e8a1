// A mutex's own words, in the line of its bouncer.

// Words of a recursive mutex, beside those of an owned lock.
export const DEPTH: i32 = 32; // how often its owner relocked it

// Values.
/** The maximum depth of a recursive mutex. */
export const MOST_DEPTH: i32 = 65_535;
