// The words and flags that only these locks have, in their lines.

// Words of a queued lock, beside those of an owned lock. It has no bouncer: TICKET and GRANT stay 0.
export const NEXT_WAITER: i32 = 32; // the next element, if the discipline keeps one

// Values.
/** A flag of a queued lock: first come, first served. */
export const FLAG_MCS: i32 = 256;
/** Of a queued lock. Last come, first served within each detached segment; without a flag, always. */
export const FLAG_RECIPROCATING: i32 = 512;
