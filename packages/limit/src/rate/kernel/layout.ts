// The words of a rate limiter's bucket: a region that all its agents share. A tick is 1/16 of a microsecond.

// Words of a token bucket.
export const ARRIVAL: i32 = 0; //  i64: the theoretical arrival time, in ticks of agreed time
export const LATEST: i32 = 8; //   i64: agreed time, in ticks: the latest time that an agent has read on its clock
// i64: the time that a burst takes to come, in ticks; it never changes
export const TOLERANCE: i32 = 16;
// i64: agreed time, in ticks, of the last call that was served after a late timer; 0: none yet
export const SERVED: i32 = 24;
// These never change.
export const BASE: i32 = 32; //    8 bytes: a double, ms since 1970 at which agreed time is 0
export const PERMITS: i32 = 40; // 8 bytes: a double
export const BURST: i32 = 48; //   8 bytes: a double
export const INTERVAL: i32 = 56; // 8 bytes: a double, in ms

// Values.
export const BUCKET_BYTES: i32 = 64;
