// The flags in the high half of a read-write lock's word OFFICE that the classes read, too (rw-lock.ts).

// Values.
/** No writer is inside. Only with a successor. */
export const FREE_FLAG: i32 = 0x8000000;
/** One waiting writer, the longest, has a permit and competes with the writers that run. */
export const SUCCESSOR: i32 = 0x10000000;
/** That writer sleeps. */
export const ASLEEP: i32 = 0x20000000;
/** The turn is over: the lock goes to the successor as soon as no agent is inside. */
export const DUE: i32 = 0x40000000;
