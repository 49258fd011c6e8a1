// A mutex's own words, in the line of its bouncer and in the elements of its waiters.

// Words of a mutex, beside those of an owned lock.
export const DEPTH: i32 = 32; //        how often its owner relocked a recursive mutex
export const SUCCESSOR_AT: i32 = 36; // the element of the successor that asked to be woken
export const TURN: i32 = 52; //         whose turn it is, and how many passes are left of it; only the owner writes it

// Words of an element of a mutex's successor, beside those of an element.
export const SUCCEEDS: i32 = 24; //       1: its waiter is the successor and has found the mutex owned; no chain and no walker has the element
export const SUCCEEDS_SINCE: i32 = 28; // since when, in µs on its agent's own clock, wrapping; 0: not known
export const TURN_SEEN: i32 = 60; //      TURN when its waiter, the successor, last looked

// Values.
/** The maximum depth of a recursive mutex. */
export const MOST_DEPTH: i32 = 65_535;

/** Bits of TURN: the passes left before the owner looks at the clock. */
export const PASSES_LEFT: i32 = 0x7fffff;
/** In TURN: its agent took the turn from another one, and has not looked at the clock yet. */
export const TURN_TAKEN: i32 = 0x800000;
/** In TURN: shift of the low bits of the id of the agent whose turn it is. Two agents may share them: they may share a turn, then. */
export const TURN_OF: i32 = 24;

/** For `enqueueAtMutex`: TURN as no turn has it. */
export const NOT_SEEN: i32 = -1;
/** For `enqueueAtMutex`, as `mayWait`: only behind another agent, and with an element that the agent has already. */
export const IN_ORDER: i32 = 2;

/** In FLAGS: a mutex with the order 'turns'. Otherwise each contended unlock hands over. */
export const FLAG_TURNS: i32 = 1024;

/** In the high half of OFFICE: one waiter, the longest, has a permit and competes with the agents that run. */
export const SUCCESSOR: i32 = 4;
/** There: a successor waits for the end of the turn, and the next unlock hands over to it. */
export const DUE: i32 = 16;
