// The words that this package adds to the core's layout. For a latch and a barrier, the word GRANT of the line decides.

// Words of a claim, beside those of a ledger entry. Bytes 24 to 31 of an entry are the kind's.
export const CLAIM_ROUND: i32 = 24; // the round of the claims in ENTRY_HELD

// Words of a barrier, beside those of a first line and of a line with a sleep word.

// i64: low half: how many resets there were; high half: the generation that the last one made whole
export const RESETS: i32 = 32;

// Words of a party, beside those of a ledger entry. ENTRY_HELD: the number of the agent's parties, and 1 more while the
// agent runs the action.
export const OUTCOME: i32 = 24; //   how the last arrival of its agent ended, for the agent alone
export const ACTING_IN: i32 = 28; // while it runs the action: the generation, as `actingIn` writes it; else 0

// Words of an element of a barrier, beside those of an element. Bytes 24 to 31 belong to the kind while a waiter uses
// the element.
export const RESETS_SEEN: i32 = 24; // the low half of RESETS when its waiter arrived
export const ROLE: i32 = 28; //        0, FIRST or BYSTANDER

// Values.
/** BLOCK_KIND of a barrier, for its walk. */
export const BARRIER_CODE: i32 = 33891465;
/** The largest count of a latch. */
export const MAX_COUNT: i32 = 0x7fffffff;
/** The largest number of parties of a barrier: its word has 15 bits for it. */
export const MAX_PARTIES: i32 = 0x7fff;
/** Fields of the low half of a barrier's word. */
export const ARRIVED: i32 = 0x7fff;
export const PARTIES: i32 = 0x3fff8000;
export const PARTIES_AT: i32 = 15;
export const ACTING: i32 = 0x40000000;
export const BROKEN: i32 = -0x80000000;
