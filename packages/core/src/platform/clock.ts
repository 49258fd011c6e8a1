// The clock of timeouts: `performance.now`, looked up at each call.
//
// A test may fake the timers but not `performance.now`, or the reverse. Then a timer of 100 ms may end although
// `performance.now` has not moved. The end of the timer proves that 100 ms have passed, so the clock moves forward by
// 100 ms. Otherwise a wait would restart its timeout again and again. All deadlines of a thread use this clock, so the
// parts of one wait agree.

/**
 * The maximum time in ms by which a platform's timer may end early according to `performance.now`. It truncates delays
 * to whole ms and compares them with a clock that counts whole ms. A timer that ends earlier than that runs on another
 * clock.
 */
const EARLIEST_MS = 1.5;

/** The time in ms by which the clock is ahead of `performance.now`. */
export let ahead = 0;

/** Returns the time in ms. */
export function now(): number {
  return performance.now() + ahead;
}

/** Records that a sleep or a timer set for `end` has ended. */
export function noteEnd(end: number): void {
  const early = end - now();
  if (early > EARLIEST_MS) ahead += early;
}
