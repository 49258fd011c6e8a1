// The words and flags of the papers' semaphores. The first line of each has the counters of core's semaphore.

// Values.
/** BLOCK_KIND of the blocks and of their further lines: the short name 'sema'. */
export const KIND_SEMA: i32 = 5002049;

// Words of a line whose waiters sleep on GRANT, beside those of a line with its own chain: FLAG_GLOBAL, FLAG_TOKENS.
export const GRANT_SLEEPERS: i32 = 52; // agents that sleep on the low word of GRANT

// Words of a line whose waiters sleep on UPDATES, beside those of a line with its own chain: FLAG_ARRAY.
// bits 0-15: further tickets that a post announces; bits 16-23: HASH_*; bit 24: SLOT_HOLDS_WAITER
export const NEAR_TICKETS: i32 = 52;

// Values.
export const THRESHOLD_MASK: i32 = 65535;
export const SLOT_HOLDS_WAITER: i32 = 16777216; // the first waiter of a bucket waits in its CHAIN
export const HASH_SHIFT: i32 = 16;
export const HASH_MASK: i32 = 255;
export const HASH_LINEAR: i32 = 0; // the bucket of a ticket (hash.ts)
export const HASH_PRODUCT: i32 = 1;
export const HASH_PAIRS: i32 = 2;
export const HASH_PAGES: i32 = 3;
export const HASH_GRAY: i32 = 4;
export const HASH_MIXED: i32 = 5;

// Values.
// How the waiters of a line wait (posts.ts).
export const FLAG_GLOBAL: i32 = 32768; //     all wait on GRANT itself
export const FLAG_ARRAY: i32 = 65536; //      on a bucket's UPDATES
export const FLAG_CHAINED: i32 = 131072; //   in a bucket's CHAIN
export const FLAG_MONITORED: i32 = 262144; // there; its SEQUENCE tells when waiting is unnecessary
export const FLAG_PLACED: i32 = 524288; //    in a bucket's SLOT
export const FLAG_TOKENS: i32 = 1048576; //   without tickets: GRANT is a count of tokens
export const FLAG_CONSERVATIVE: i32 = 2097152; // beside FLAG_ARRAY
export const FLAG_SEVERAL: i32 = 134217728; // beside FLAG_TOKENS: an agent that wanted more than one has slept there
export const FLAG_TAKEN_BACK: i32 = 268435456; // of a closed one where all wait on GRANT: the close decreased GRANT to wake them

export const FLAG_BOX: i32 = 4194304; //     of the first line of a lightweight semaphore: box-office.ts
export const FLAG_INNER: i32 = 8388608; //   of the line behind it, beside the FLAG_* of its scheme
export const FLAG_DEALER: i32 = 16777216; // of the first line of a multilane semaphore: multilane.ts
export const FLAG_DEALT: i32 = 33554432; //  of the lines behind it
export const FLAG_SHUFFLED: i32 = 67108864; // beside FLAG_DEALER: the order of the lanes changes from round to round

// Two of the semaphores have several lines. The first has the name, the tag that a close changes first, and the only
// ledger. Agents wait at one of the lines behind.

// Words of the first of several lines, beside those of a first line and of permits.
export const DEALT_BITS: i32 = 48; // with FLAG_BOX and FLAG_DEALER: log2 of the number of lines behind

// Words of an element in a lane, beside those of an element.
export const NUMBER: i32 = 24; //     i64: the number that its waiter drew at the first line (multilane.ts)

// One line of each way to wait:
//
// Words of a TicketSemaphore or AddressSemaphore, beside those of a first line, of permits and of a line whose waiters
// sleep on GRANT. Words of a ChainSemaphore, MonitorSemaphore or LocationSemaphore, beside those of a first line, of
// permits and of a line with its own chain. Words of a WaitingArraySemaphore, beside those of a first line, of permits
// and of a line whose waiters sleep on UPDATES. Words of a GRANT line behind, beside those of one of the lines behind
// and of a line whose waiters sleep on GRANT. Words of an UPDATES line behind, beside those of one of the lines behind
// and of a line whose waiters sleep on UPDATES.
