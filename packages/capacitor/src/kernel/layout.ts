// The words that the gates of this package have beside those of a semaphore.

/** i32, at a turnstile: how often an agent came back, wrapping. */
export const PASSES: i32 = 36;
/** i32, at a turnstile: the id of the agent that went out and means to come back. 0: none. */
export const LEASE: i32 = 52;
