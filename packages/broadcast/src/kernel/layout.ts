// The words that this package adds to the core's layout. GRANT of the line decides how many values there are.
//
// Behind the line: the spares, the index, the slots. With overflow 'wait' the block has three lines, and the marks
// behind the slots:
//
//   the room     the block's first line: the head of the line waits there until the slowest subscription goes on
//   the line     a semaphore with one permit: publishers wait there to become its head
//   the stream   the line of the broadcast, with all that follows it

// Words of a broadcast, beside those of a first line and of a line with tickets.
export const RING_MASK: i32 = 32; //   the capacity, a power of two, less 1; written once
export const SLOT_STRIDE: i32 = 36; // bytes from one slot to the next; written once

// Words of a broadcast with marks, beside those of a broadcast. They are 0 without.
export const MARKS: i32 = 48; //       bytes from the line to the marks; written once
export const MARK_COUNT: i32 = 52; //  how many marks there are; written once

// Words of the marks of a broadcast.
export const SUBSCRIBED: i32 = 0; //   i64: how often a mark was taken
export const WANTED: i32 = 64; //      1 + the mark that the head of the line waits for; 0: none

// Words of a mark: how far a registered subscription has read.
export const MARK_OWNER: i32 = 0; //   the agent of the subscription; 0: free
export const MARK_AT: i32 = 8; //      i64: twice the position of its next value, or ENTERING

// Words of a look at all marks, in the scratch of an agent.
export const SEEN_SUBSCRIBED: i32 = 0; // i64: SUBSCRIBED before the look
export const SEEN_LIMIT: i32 = 8; //      i64: the lowest mark; at the end the word from which on there is no room
export const SEEN_MARK: i32 = 16; //      which mark that is; -1: none

// Spares of a broadcast: SPARES words. 0: empty; n: slot n - 1 is free, and neither a value nor a publisher has it.
//
// Index of a broadcast: one i64 per kept value. Low half: its slot. High half: the low half of its position.

// Words of an agent at a broadcast, beside those of a ledger entry. Low half of ENTRY_HELD: the slot that it is
// writing, and the place of that slot among the spares (`heldAs`); 0: none. High half: how many marks it has.
export const READ_WORD: i32 = 24; // i64: what a step tells its caller, for the agent alone

// Values.
/** The number of publishers that can write at the same moment. */
export const SPARES: i32 = 8;
export const SPARE_BITS: i32 = 3;
/** The offset of the spares in the block. The index follows them. */
export const SPARES_AT: i32 = 128;
export const INDEX_AT: i32 = 192;
/** Bytes of an entry of the index. */
export const INDEX_STRIDE: i32 = 8;

/** From the marks to the first one. */
export const FIRST_MARK: i32 = 128;
/** log2 of a mark's size: each has a cache line of its own. */
export const MARK_SHIFT: i32 = 6;
/** From the line of the stream back to that in which publishers wait, and to the room. */
export const HEAD_LINE_BEFORE: i32 = 128;
export const ROOM_BEFORE: i32 = 256;
/** In MARK_AT: the mark is free, or its subscription is about to begin. */
export const ENTERING: i32 = 1;
/** Without marks: the distance that the word may advance before the next scan. */
export const FAR: i32 = 0x40000000;

/** In the broadcast's word: it is closed. */
export const STREAM_CLOSED: i32 = 1;
/** The amount that a value adds to the broadcast's word. */
export const POSITION_STEP: i32 = 2;
