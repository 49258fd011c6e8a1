// A mutex's own words, in the line of its bouncer and in the elements of its waiters.

// Words of a mutex, beside those of an owned lock.
export const DEPTH: i32 = 32; //        how often its owner relocked a recursive mutex
export const SUCCESSOR_AT: i32 = 36; // the element of the successor that asked to be woken
export const PASSES_LEFT: i32 = 52; //  how many more passes there are in a turn before an owner looks at the clock; only the owner writes it

// Words of an element of a mutex's successor, beside those of an element.
export const SUCCEEDS: i32 = 24; //       1: its waiter is the successor and has found the mutex owned; no chain and no walker has the element
export const SUCCEEDS_SINCE: i32 = 28; // since when, in µs on its agent's own clock, wrapping; 0: not known
export const PASSES_SEEN: i32 = 60; //    PASSES_LEFT when its waiter, the successor, last looked

// Values.
/** The maximum depth of a recursive mutex. */
export const MOST_DEPTH: i32 = 65_535;

/** In FLAGS: a mutex with the order 'turns'. Otherwise each contended unlock hands over. */
export const FLAG_TURNS: i32 = 1024;

/** In the high half of OFFICE: one waiter, the longest, has a permit and competes with the agents that run. */
export const SUCCESSOR: i32 = 4;
/** There: a successor waits for the end of the turn, and the next unlock hands over to it. */
export const DUE: i32 = 16;
