// A mutex's own word in the line of its bouncer, beside those of a lock in turns.

// Words of a mutex, beside those of a lock in turns.
export const DEPTH: i32 = 32; // how often its owner relocked a recursive mutex

// Values.
/** The maximum depth of a recursive mutex. */
export const MOST_DEPTH: i32 = 65_535;

/** For `enqueueAtMutex`, as `mayWait`: only behind another agent, and with an element that the agent has already. */
export const IN_ORDER: i32 = 2;

/** In the high half of OFFICE: one waiter, the longest, has a permit and competes with the agents that run. */
export const SUCCESSOR: i32 = 4;
/** There: a successor waits for the end of the turn, and the next unlock hands over to it. */
export const DUE: i32 = 16;
