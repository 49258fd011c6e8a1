// The clock by which agents agree on the time: of a rate limiter, and of the interval of a limit.

import { now } from './clock.ts';

/** Milliseconds since 1970. Never goes back within an agent. */
export type Clock = () => number;

/**
 * Returns the clock of this thread. `performance.now` follows no change of the wall clock, but in browsers, Bun and
 * Deno each thread counts from its own start. `timeOrigin` says when that was.
 */
export function threadClock(): Clock {
  // Fake timers bring an object of their own, with an origin of its own. To read the origin at each call would take
  // longer than the rest.
  let source: Performance | undefined;
  let origin = 0;
  return () => {
    if (source !== performance) {
      source = performance;
      origin = source.timeOrigin;
    }
    return origin + now();
  };
}
