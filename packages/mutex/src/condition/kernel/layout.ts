// The words that a condition adds to the core's layout. They name its lock, in the line of its box office.

// Words of a condition, beside those of a first line and of a box office.
export const LOCK: i32 = 32; //     the line of the lock's box office
export const LOCK_TAG: i32 = 36; // the lock's tag when the condition was created

// Values.
/** The largest number for `notify`. */
export const MAX_NOTIFIED: i32 = 0x7fffffff;
