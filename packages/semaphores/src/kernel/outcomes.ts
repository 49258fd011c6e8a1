// The results that only the steps of a resizable semaphore have. The other results are the core's.

/** The result of a check for a wait that was cancelled first: the waiter must leave the line. */
export const LATE = -64;
/** As CANCELLED, but the agent holds ENTRY_BACK permits that it must release. */
export const CANCELLED_HOLDING = -65;
/** As CANCELLED_LEFT_BEHIND, but the agent holds ENTRY_BACK permits that it must release. */
export const LEFT_BEHIND_HOLDING = -66;
