// The clock of timeouts.
//
// It is `performance.now`, looked up at each call, and moved forward when the platform proves that more time has passed: a sleep or a timer of
// 100 ms has ended, and `performance.now` has not moved. That is so if a test replaces timers but not `performance.now`, or the reverse. Without this
// a wait would begin its timeout again and again. All deadlines of a thread are on this clock, so those of waits with several parts agree.

/**
 * A platform's timer may end this much early by `performance.now`: it truncates delays to whole ms and compares them with a clock that counts whole
 * ms. What ends earlier runs on other time.
 */
const EARLIEST_MS = 1.5;

/** How far the clock is ahead of `performance.now`, in ms. */
export let ahead = 0;

/** Milliseconds. */
export function now(): number {
  return performance.now() + ahead;
}

/** A sleep or a timer has ended that was to last until `end`. */
export function hasCome(end: number): void {
  const early = end - now();
  if (early > EARLIEST_MS) ahead += early;
}
