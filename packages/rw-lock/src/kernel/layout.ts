// Values of a read-write lock's word OFFICE (rw-lock.ts) that its classes use, too. The flags are in its high half.

// Values.
/** The maximum number of readers: a field of 21 bits. */
export const MAX_READERS: i32 = 0x1fffff;
/** The maximum number of writers: a field of 17 bits. */
export const MAX_WRITERS: i32 = 0x1ffff;
/** No writer is inside. Set only with a successor. */
export const FREE_FLAG: i32 = 0x8000000;
/** The longest waiting writer has a permit and competes with the running writers. */
export const SUCCESSOR: i32 = 0x10000000;
/** That writer sleeps. */
export const ASLEEP: i32 = 0x20000000;
/** The turn is over: the lock goes to the successor as soon as no agent is inside. */
export const DUE: i32 = 0x40000000;
/** A bit of FLAGS of the first line: the lock has a third line, the seat (../seat.ts). */
export const FLAG_SEAT: i32 = 2048;
