// What a countdown latch adds to the core's layout. The word that decides is GRANT of its line.

// Words of a claim, beside those of a ledger entry. Bytes 24 to 31 of an entry are the kind's.
export const CLAIM_ROUND: i32 = 24; // the round of the claims in ENTRY_HELD

// Values.
/** The largest count. */
export const MOST_COUNT: i32 = 0x7fffffff;
