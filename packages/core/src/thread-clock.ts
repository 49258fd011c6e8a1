// The clock by which agents agree on the time: of a rate limiter, and of the interval of a limit.

/** Milliseconds since 1970. Never goes back within an agent. */
export type Clock = () => number;

/**
 * Returns the clock of this thread. `performance.now` follows no change of the wall clock, but in browsers, Bun and Deno each thread counts from its
 * own start. `timeOrigin` says when that was.
 */
export function threadClock(): Clock {
  const { timeOrigin } = performance;
  return () => timeOrigin + performance.now();
}
