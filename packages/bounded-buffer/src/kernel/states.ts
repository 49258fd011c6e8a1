// Results that only the steps of a bounded buffer have. The others are the core's.

/** Inside, but too few units are there. */
export const SHORT: i32 = 5;
/** Other agents come before it, and enough is there for all of them. */
export const BESIDE: i32 = -5;
/** Results of `enterSide`: a position in the ring is returned plus this number. */
export const FIRST_POSITION: i32 = 16;
