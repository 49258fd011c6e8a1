// What a countdown latch adds to the core's layout.

/** In the line: the word that decides. It is the word in which the base looks for the progress of a waiter (GRANT). */
export const PROGRESS: i32 = 24;

/** In a ledger entry: the round of the claims in ENTRY_HELD. Bytes 24 to 31 of an entry are the kind's. */
export const CLAIM_ROUND: i32 = 24;

/** The largest count. */
export const MOST_COUNT: i32 = 0x7fffffff;
