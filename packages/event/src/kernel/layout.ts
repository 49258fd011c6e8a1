// The words that this package adds to the core's layout. For a once and a manual-reset event, the word GRANT of the
// line decides.

// Words of a lazy, beside those of a line with tickets. LIMIT is its capacity in bytes.
export const VALUE_BYTES: i32 = 32; // how long its value is; written before the word says that it is there

// Values.
/** A value of the low half of a once's word: no attempt runs. */
export const ONCE_IDLE: i32 = 0;
/** A value of the low half of a once's word: it was closed. No tag has the complement -1, and no agent has this id. */
export const ONCE_CLOSED: i32 = -1;
