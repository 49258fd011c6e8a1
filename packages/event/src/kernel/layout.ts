// What this package adds to the core's layout. The word that decides is GRANT of the line, of a once as of a
// manual-reset event.

// Words of a lazy, beside those of a line with tickets. LIMIT is its capacity in bytes.
export const VALUE_BYTES: i32 = 32; // how long its value is; written before the word says that it is there

// Values.
/** In the low half of the word of a once: no attempt runs. */
export const ONCE_IDLE: i32 = 0;
/** There: it was closed. No tag has the complement -1, and no agent has the id. */
export const ONCE_CLOSED: i32 = -1;
