// The results that only the steps of a broadcast have. The other results are the core's.

/** The broadcast is closed, and the subscriber has got its last value. */
export const ENDED = -56;
/** The value at that position is no longer kept. READ_WORD is the position at which to continue. */
export const LAGGED = -57;
/** A publisher has reached the limit of its last scan and must scan the marks again. */
export const LIMIT_REACHED = -58;
