// Time as agents measure it. Ticks are whole, so that a 64-bit word and a double hold each time exactly; there are 2^53 in 17 years.

export const TICKS_PER_MS = 16_000;

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
