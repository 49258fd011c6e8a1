// The words that count the starts of a limit with an interval: a region that all its agents share. Times are in parts
// of the interval.

// Words of the interval of a limit.

// i64: the window: when it began, times intervalCap + 1, plus the starts in it; 0: none began yet
export const WINDOW: i32 = 0;
export const PARTS: i32 = 8; //   i64: how many parts an interval has; it and what follows to INTERVAL never change
export const CAP: i32 = 16; //    i32: intervalCap
export const MODE: i32 = 20; //   i32: FIXED, CARRYING or SLIDING
export const BASE: i32 = 24; //   8 bytes: a double, ms since 1970 at which time is 0
export const INTERVAL: i32 = 32; // 8 bytes: a double, in ms
export const NEXT: i32 = 40; //   i32: the place in the ring that has the oldest start, or one of those before it
export const SLOTS: i32 = 44; //   i32: the address of the semaphore of the slots; it and SIZE never change
export const SIZE: i32 = 48; //    i32: the address of the word with the number of slots
export const RING: i32 = 56; //   i64 for each of intervalCap starts: its time; 0: no start yet. SLIDING only

// Values: of MODE.
export const FIXED: i32 = 0; //    the starts of one window after the other are counted
export const CARRYING: i32 = 1; // as FIXED, and a window begins with the functions that run
export const SLIDING: i32 = 2; //  the times of the last starts are kept

// Values.
export const COUNT_BYTES: i32 = 56;
