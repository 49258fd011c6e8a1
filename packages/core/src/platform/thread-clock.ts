// The clock that all agents share: for rate limiters and for the interval of a limit.

import { now } from './clock.ts';

/** Milliseconds since 1970. Never goes back within an agent. */
export type Clock = () => number;

/**
 * Returns the clock of this thread. `performance.now` follows no change of the wall clock. But in browsers, Bun and
 * Deno each thread counts from its own start, and `timeOrigin` is the time of that start.
 */
export function threadClock(): Clock {
  // Fake timers install a `performance` object with an origin of its own. To read the origin at each call would take
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
