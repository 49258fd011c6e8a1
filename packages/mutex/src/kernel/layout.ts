// A mutex's own word in the line of its bouncer, beside those of a lock in turns.

// Words of a mutex, beside those of a lock in turns.
export const DEPTH: i32 = 32; // how often its owner relocked a recursive mutex

// Values.
/** The maximum depth of a recursive mutex. */
export const MOST_DEPTH: i32 = 65_535;

/** For `enqueueAtMutex`, as `mayWait`: only behind another agent, and with an element that the agent has already. */
export const IN_ORDER: i32 = 2;
/**
 * For `enqueueAtMutex`, as `seen`: the agent does not take a mutex that is free in another agent's turn. TURN never has
 * that value.
 */
export const NEVER_TAKES: i32 = -2;
