// The words of a bounded buffer's block. `lines.ts` says what its lines are for; behind them lies the ring.

// Values.
/** BLOCK_KIND of the block: `kindCode('buf')`. */
export const BUFFER_CODE: i32 = 9542;
/**
 * The number of lines before the ring: the block's own line, and three for each side. These are the side's own line,
 * the line in which agents wait to become its head, and the line in which the head waits for more units.
 */
export const LINES: i32 = 7;

// Words of a bounded buffer, beside those of a first line: what never changes.
export const UNIT_BYTES: i32 = 16;
export const MIN_UNITS: i32 = 20;
export const MAX_BYTES: i32 = 24;
export const RING_BYTES: i32 = 28;

// Words of a side of a buffer, beside those of a box office (sides.ts).
export const HAS_HEAD: i32 = 48; // 1: its line has a head, or a permit that admits one
export const POSITION: i32 = 64; // i64
export const SEEN: i32 = 72; //     i64
export const IN_PLACE: i32 = 80; // 1: the owner of the lock has a claim or a peek open (in-place.ts)
export const ROOM: i32 = 84;

// Words of a line that agents of a side wait in, beside those of a line with tickets.
export const NEEDED: i32 = 64; //   units that the head of the line sleeps for
