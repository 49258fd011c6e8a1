// The values that the steps of a once return to its class, in addition to those of the core.

/** A result: the once is done. */
export const DONE = -48;
/** A result: the agent of the caller runs an attempt. */
export const OWN = -49;
/** A result: the once is closed, and begins no attempt. */
export const REFUSED = -50;

/**
 * Returns the low half of the word of a done once with that tag. It is less than ONCE_CLOSED. No other once that uses
 * the block before or after has the same value.
 */
export function doneState(tag: i32): i32 {
  return ~tag;
}
