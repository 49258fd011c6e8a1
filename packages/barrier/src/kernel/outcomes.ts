// The values that a barrier's steps exchange with its class.

// The end of an arrival: OUTCOME of its agent's entry.
export const TRIPPED = 1; //   all parties arrived
export const BROKE = 2; //     the generation was broken, or the barrier was broken before the call
export const RETURN = 3; //    another generation has ended that the call could not join: arrive again
export const ACTS = 4; //      the last to arrive: the agent runs the action
export const NO_PARTY = 5; //  the barrier has no parties
/**
 * A bit of OUTCOME beside TRIPPED and ACTS, and a value of ROLE: the waiter was the first to arrive in its generation.
 */
export const FIRST = 16;
/** A value of ROLE: the waiter has not arrived. It waits for the end of an action. */
export const BYSTANDER = 1;

// The reason why a barrier is broken. It takes the place of the number of parties that arrived.
export const GAVE_UP = 1; // a wait timed out or was aborted
export const DIED = 2; //    an agent died while it waited, ran the action, or was a party
export const RESET = 3; //   reset() was called while parties waited
export const THREW = 4; //   the action threw an error
export const ABORTED = 5; // abort() was called

/** A result of `leaveBarrier`: all other parties have arrived, and the agent runs the action. */
export const ACTS_NOW = -32;
/** A result of `tripBarrier`: the generation was broken while the action ran. */
export const BROKEN_MEANWHILE = -33;
/**
 * Results of `arriveAtBarrierToSleep`. AWAKE: the agent arrived and must not sleep yet. NOT_YET: nothing was changed.
 * WAKES_ALL: the agent arrived as the last party, and SLEEP_WORD is to be notified.
 */
export const AWAKE = -34;
export const NOT_YET = -35;
export const WAKES_ALL = -36;

/**
 * A bit of `acts` of `arriveAtBarrierToSleep`: the wait has a limit, so the action of the barrier may start such a wait.
 */
export const HAS_LIMIT = 2;
