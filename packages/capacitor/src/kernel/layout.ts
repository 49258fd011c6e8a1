// The words that the gates of this package have beside those of a semaphore. LIMIT holds B.

// A capacitor is a semaphore whose permits come back all at once (capacitor.ts).
/** i32: departures still to come before the capacitor opens. */
export const TALLY: i32 = 56;

// With lanes the capacitor's first line has only the words below. Its semaphores are in the lines behind, one per lane (lanes.ts).
/** In FLAGS of a capacitor with lanes. */
export const FLAG_LANED: i32 = 8192;
/** i32: arrivals, wrapping: the next one's lane. */
export const ARRIVED: i32 = 16;
/** i32: permits given, wrapping: the next one's lane. */
export const CREDITED: i32 = 20;
/** log2 of the number of lanes. */
export const LANE_BITS: i32 = 24;
/** Lanes that the opening agent has not reached yet. */
export const LANES_LEFT: i32 = 28;
/** In a lane: address of the block. */
export const HOME: i32 = 52;

// A turnstile is a capacitor with a mutex's box office (turnstile.ts).
/** i32: how often an agent came back, wrapping. */
export const PASSES: i32 = 36;
/** i32: the id of the agent that went out and means to come back. 0: none. */
export const LEASE: i32 = 52;
