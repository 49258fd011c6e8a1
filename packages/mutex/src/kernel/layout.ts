// A mutex's own word in the line of its bouncer, beside those of a lock in turns.

// Words of a mutex, beside those of a lock in turns.
export const DEPTH: i32 = 32; // how many times the owner of a recursive mutex locked it again

// Values.
// Bits of OFFICE's high half (mutex.ts).
/** The longest waiter has a permit and competes with the running agents. */
export const SUCCESSOR: i32 = 4;
/** That waiter sleeps. */
export const ASLEEP: i32 = 8;
/** The turn is over, and the next unlock hands the mutex to that waiter. */
export const DUE: i32 = 16;

/** The maximum depth of a recursive mutex. */
export const MAX_DEPTH: i32 = 65_535;

/**
 * A `mode` of `enqueueAtMutex`: the agent enqueues only if another agent owns the mutex and this agent has a spare
 * element.
 */
export const ENQUEUE_WITH_SPARE: i32 = 2;
/**
 * A value of `turnSeen` for `enqueueAtMutex`: the agent does not take a free mutex during another agent's turn. TURN
 * never has this value.
 */
export const NEVER_TAKES: i32 = -2;
