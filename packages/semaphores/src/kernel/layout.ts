// The words and flags of the semaphores of this package. The first line of each has the counters of core's semaphore.

// Values.
/** BLOCK_KIND of a priority semaphore and of its levels: the short name 'prio'. */
export const KIND_PRIO: i32 = 4268623;
/** The same of a resizable semaphore: the short name 'sized'. */
export const KIND_SIZED: i32 = 321233220;

// A priority semaphore has several lines. The first has the name, the tag that a close changes first, and the only
// ledger. Agents wait at one of the lines behind. Composite semaphores of @sluice/classics have them, too.

// Words of one of the lines behind, beside those of a line with its own chain.
export const FRONT: i32 = 56; //      address of the block

// Words of a level, beside those of one of the lines behind.

// i64: low half: waiters without a dealt permit; high half: cancels, wrapping
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
// the number of held permits that the last cancelled wait must still release
export const ENTRY_BACK: i32 = 24;
