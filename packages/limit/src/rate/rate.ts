// The rate of a limiter: the number of permits, and the time that one permit costs.

import { TICKS_PER_MS } from './time.ts';

export interface Rate {
  readonly permits: number;
  /** In ms. */
  readonly interval: number;
  readonly burst: number;
  /** The time in which one permit becomes available, in ticks. */
  readonly cost: number;
  /** The time in which a whole burst becomes available, in ticks. */
  readonly tolerance: number;
}

/** Below this limit a double holds times exactly for years. */
const MAX_TICKS = 2 ** 52;

/** Returns the rate of `permits` per `interval` ms. Throws `RangeError` if an option is out of range. */
export function rateOf(permits: number, interval: number, burst: number): Rate {
  // Rounded up, so that the limiter never exceeds the promised rate.
  const cost = Math.ceil((interval * TICKS_PER_MS) / permits);
  if (permits > interval * TICKS_PER_MS)
    throw new RangeError(
      `permits must be at most ${TICKS_PER_MS} for each ms of the interval: received ${permits} in ${interval} ms`,
    );
  const tolerance = burst * cost;
  if (tolerance > MAX_TICKS)
    throw new RangeError(
      `burst must be a number of permits that comes within 8 years: received ${burst}, with ${permits} in ${interval} ms`,
    );
  return { permits, interval, burst, cost, tolerance };
}
