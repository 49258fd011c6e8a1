// The words that the page and the workers of a scene share beside the primitives: a region of 32-bit numbers.

/**
 * What the workers do now: one of the constants below, or the number of the lock that they use. Workers sleep on this
 * word.
 */
export const PHASE = 0;
export const STOP = -1;
/** How long a worker stays in a critical section, and outside of it, in microseconds. */
export const INSIDE = 1;
export const OUTSIDE = 2;
/** Never notified: a worker sleeps here for a time. */
export const PILLOW = 3;
/** Words of locks that are not of Sluice, one for each lock. */
export const LOCK_WORDS = 8;
/** Two accounts, for scenes that move money. */
export const ACCOUNTS = 16;
export const REPAIRS = 18;
/** 0, or one more than the index of a worker that stays in the middle of its next move until it is terminated. */
export const VICTIM = 19;
/** Counters of each worker begin here. */
export const COUNTERS = 32;

export const MAX_WORKERS = 8;
/** What is counted for each worker at each lock. */
export const PASSES = 0;
/** The longest wait, in microseconds. */
export const LONGEST = 1;
/** What a worker is doing, in scenes that show it. */
export const DOING = 2;
const EACH = 4;

export const MAX_LOCKS = 3;
export const CONTROL_BYTES = 4 * (COUNTERS + MAX_LOCKS * MAX_WORKERS * EACH);

/** The index of a counter. */
export function counter(lock: number, worker: number, what: number): number {
  return COUNTERS + (lock * MAX_WORKERS + worker) * EACH + what;
}

export function reset(words: Int32Array): void {
  for (let index = ACCOUNTS; index < words.length; index++) Atomics.store(words, index, 0);
}
