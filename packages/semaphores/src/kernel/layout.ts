// The words and flags of the semaphores of this package. The first line of each has the counters of core's semaphore.

// Values.
/** BLOCK_KIND of the blocks and of their further lines: the short name 'sema'. */
export const KIND_SEMA: i32 = 5002049;
/** The same of a resizable semaphore: the short name 'sized'. */
export const KIND_SIZED: i32 = 321233220;

// Words of a line whose waiters sleep on GRANT, beside those of a line with its own chain: FLAG_GLOBAL, FLAG_TOKENS.
export const GRANT_SLEEPERS: i32 = 52; // agents that sleep on the low word of GRANT

// Words of a line whose waiters sleep on UPDATES, beside those of a line with its own chain: FLAG_ARRAY.
export const THRESHOLD: i32 = 52; // how many further tickets a post tells, too

// Values.
// How the waiters of a line wait (family.ts).
export const FLAG_GLOBAL: i32 = 32768; //     all wait on GRANT itself
export const FLAG_ARRAY: i32 = 65536; //      on a bucket's UPDATES
export const FLAG_CHAINED: i32 = 131072; //   in a bucket's CHAIN
export const FLAG_MONITORED: i32 = 262144; // there; its SEQUENCE tells when waiting is unnecessary
export const FLAG_PLACED: i32 = 524288; //    in a bucket's SLOT
export const FLAG_TOKENS: i32 = 1048576; //   without tickets: GRANT is a count of tokens
export const FLAG_CONSERVATIVE: i32 = 2097152; // beside FLAG_ARRAY
export const FLAG_SEVERAL: i32 = 134217728; // beside FLAG_TOKENS: an agent that wanted more than one has slept there
// of a closed one where all wait on GRANT: the close decreased GRANT to wake them
export const FLAG_TAKEN_BACK: i32 = 268435456;

export const FLAG_BOX: i32 = 4194304; //     of the first line of a lightweight semaphore: box.ts
export const FLAG_INNER: i32 = 8388608; //   of the line behind it, beside the FLAG_* of its scheme
export const FLAG_DEALER: i32 = 16777216; // of the first line of a multilane semaphore: multilane.ts
export const FLAG_DEALT: i32 = 33554432; //  of the lines behind it
export const FLAG_SHUFFLED: i32 = 67108864; // beside FLAG_DEALER: the order of the lanes changes from round to round

export const FLAG_LEVELS: i32 = 128; //      of the first line of a priority semaphore: levels.ts
export const FLAG_LEVEL: i32 = 256; //       beside FLAG_INNER: of the lines behind it

// Three of the semaphores have several lines. The first has the name, the tag that a close changes first, and the only
// ledger. Agents wait at one of the lines behind.

// Words of the first of several lines, beside those of a first line and of permits.
export const DEALT_BITS: i32 = 48; // with FLAG_DEALER and FLAG_LEVELS: log2 of the number of lines behind

// Words of one of the lines behind, beside those of a line with its own chain.
export const FRONT: i32 = 56; //      address of the block

// Words of a level, beside those of one of the lines behind: FLAG_LEVEL.
// i64: low half: agents that wait there and that no permit has been dealt to; high half: cancels, wrapping
export const LEVEL_WAITERS: i32 = 32;
// how often the dealer has passed the level over since it last dealt there or found it empty
export const LEVEL_AGE: i32 = 52;

// Words of the lowest level, beside those of a level: what all levels share. No name is in its line.
export const UNDEALT: i32 = 64; //  permits that belong to waiters and that no level has got yet
export const DEALER: i32 = 68; //   record of the agent that deals, and DEAL_AGAIN; 0 = none
export const AGEING: i32 = 72; //   how many grants to other levels weigh as much as one level; written once

// Values.
/** The number of priorities, 0 to 7. The kernel has code for each. */
export const LEVELS: i32 = 8;
export const LEVEL_BITS: i32 = 3;
/** Beside the record in DEALER: another agent relies on the dealer to look again. Records are even. */
export const DEAL_AGAIN: i32 = 1;

export const FLAG_WATCH: i32 = 512; //       of the second line of a resizable semaphore: resizable.ts

// Words of the second line of a resizable semaphore, beside those of a line with tickets. No name is in it.
// i64: high half: permits that are free, or less than 0: the debt; low half: permits that waiters lack
export const BALANCE: i32 = 32;
// i64: high half: how often the waiters were cancelled; low half: GRANT of the first line at that moment
export const CANCELLED_AT: i32 = 48;
export const CANCEL_REASON: i32 = 56; //  what the last of these calls said
export const WATCHED: i32 = 60; //        1: an agent has waited for a free permit here. It stays 1

// Words of an element at a resizable semaphore, beside those of an element.
export const CANCELS_SEEN: i32 = 60; //   the high half of CANCELLED_AT before the waiter was counted

// Words of a ledger entry at a resizable semaphore, beside those of a ledger entry.
// of the permits held: how many the last wait that was given up there has still to release
export const ENTRY_BACK: i32 = 24;

// One line of each way to wait:
//
// Words of a TicketSemaphore or AddressSemaphore, beside those of a first line, of permits and of a line whose waiters
// sleep on GRANT. Words of a ChainSemaphore, MonitorSemaphore or LocationSemaphore, beside those of a first line, of
// permits and of a line with its own chain. Words of a WaitingArraySemaphore, beside those of a first line, of permits
// and of a line whose waiters sleep on UPDATES. Words of a GRANT line behind, beside those of one of the lines behind
// and of a line whose waiters sleep on GRANT. Words of an UPDATES line behind, beside those of one of the lines behind
// and of a line whose waiters sleep on UPDATES.
