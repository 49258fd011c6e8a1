// The words of a bounded buffer's block. `lines.ts` says what its lines are for; behind them lies the ring.

/** BLOCK_KIND of the block: `kindCode('buf')`. */
export const BUFFER_CODE: i32 = 9542;

// The block's own line: what never changes.
export const UNIT_BYTES: i32 = 16;
export const LEAST_UNITS: i32 = 20;
export const MOST_BYTES: i32 = 24;
export const RING_BYTES: i32 = 28;

// The line of a side (sides.ts). Its lock is in the words OFFICE, TICKET and GRANT.
export const TURN: i32 = 48; //     1: the turn is out. In the place of HEALTH, so that the lock carries a notice then (core: competing.ts)
export const POSITION: i32 = 64; // i64
export const SEEN: i32 = 72; //     i64
export const ROOM: i32 = 84;

// A line that agents wait in.
export const NEEDED: i32 = 64; //   units that the agent with the turn sleeps for
