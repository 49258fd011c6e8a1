// The words that this package adds to the core's layout. GRANT of the line decides which value is the newest.

// Words of a watch cell, beside those of a first line and of a line with tickets.
export const FREE_SLOTS: i32 = 32; //  bit n: slot n is neither the newest value's nor a writer's
export const SLOT_STRIDE: i32 = 36; // bytes from one slot to the next; written once

// Words of a slot. The slots are behind the line. The bytes of the value follow.
export const CLAIMS: i32 = 0; // how often a writer has taken the slot; it wraps
export const LENGTH: i32 = 4; // bytes of the value (slots/byte-slots.ts)

// Words of a user, beside those of a ledger entry. ENTRY_HELD: 1 + the slot that its agent is writing, 0: none.
export const READ_WORD: i32 = 24; // i64: the cell's word at this agent's last read or set, for the agent alone

// Values.
export const SLOTS: i32 = 8;
/** In the low bits of the cell's word: the slot of the newest value. */
export const SLOT_MASK: i32 = 7;
/** In the cell's word: the cell is closed. */
export const CELL_CLOSED: i32 = 8;
/** The version is above these bits. */
export const VERSION_BITS: i32 = 4;
/** The amount that a set adds to the cell's word, beside the change of the slot. */
export const VERSION_STEP: i32 = 16;
/** The offset of the value in a slot. */
export const SLOT_HEADER: i32 = 8;
/** Claims as results of steps: not negative. */
export const CLAIMS_MASK: i32 = 0x7fffffff;
