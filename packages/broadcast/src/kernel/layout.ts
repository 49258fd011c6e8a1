// What this package adds to the core's layout. The word that decides is GRANT of the line.
//
// Behind the line: the spares, the index, the slots.

// Words of a broadcast, beside those of a first line and of a line with tickets.
export const RING_MASK: i32 = 32; //   the capacity, a power of two, less 1; written once
export const SLOT_STRIDE: i32 = 36; // bytes from one slot to the next; written once

// Words of the spares of a broadcast: SPARES words. Each is 1 + a slot that neither a value nor a publisher has, 0: there is none.
// Words of the index of a broadcast: an i64 for each value that is kept. Low half: its slot. High half: the low half of its position.

// Words of an agent at a broadcast, beside those of a ledger entry. ENTRY_HELD: the slot that it is writing, and the place of that slot among the
// spares (`heldAs`); 0: none.
export const READ_WORD: i32 = 24; // i64: what a step tells its caller, for the agent alone

// Values.
/** How many publishers can write at the same moment. */
export const SPARES: i32 = 8;
export const SPARE_BITS: i32 = 3;
/** Where the spares begin in the block; the index follows. */
export const SPARES_AT: i32 = 128;
export const INDEX_AT: i32 = 192;
/** Bytes of an entry of the index. */
export const INDEX_STRIDE: i32 = 8;

/** In the broadcast's word: it is closed. */
export const STREAM_CLOSED: i32 = 1;
/** What a value adds to the broadcast's word. */
export const POSITION_STEP: i32 = 2;

// Results.
/** The broadcast is closed, and the subscriber has got its last value. */
export const ENDED = -32;
/** The value at that position is no longer kept. READ_WORD says where to go on. */
export const LAGGED = -33;
