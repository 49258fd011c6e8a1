// The words and flags that only these locks have, in their lines.

/** A queued lock has no semaphore: the next element, if the discipline keeps one. In the place of RELEASED_FOR_OTHERS. */
export const SUCCESSOR: i32 = 32;

/** Of a queued lock. First come, first served. */
export const FLAG_MCS: i32 = 256;
/** Of a queued lock. Last come, first served within each detached segment; without a flag, always. */
export const FLAG_RECIPROCATING: i32 = 512;
