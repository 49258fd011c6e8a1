// The clock of timeouts.
//
// It is `performance.now`, looked up at each call.
//
// A test may fake the timers but not `performance.now`, or the reverse. Then a timer of 100 ms may end although
// `performance.now` has not moved. The end of the timer proves that 100 ms have passed, so the clock moves forward by
// 100 ms. Otherwise a wait would restart its timeout again and again. All deadlines of a thread use this clock, so the
// parts of one wait agree.

/**
 * A platform's timer may end this much early by `performance.now`: it truncates delays to whole ms and compares them
 * with a clock that counts whole ms. A timer that ends earlier runs on another clock.
 */
const EARLIEST_MS = 1.5;

/** How far the clock is ahead of `performance.now`, in ms. */
export let ahead = 0;

/** Milliseconds. */
export function now(): number {
  return performance.now() + ahead;
}

/** Notes that a sleep or a timer that was to last until `end` has ended. */
export function noteEnd(end: number): void {
  const early = end - now();
  if (early > EARLIEST_MS) ahead += early;
}
