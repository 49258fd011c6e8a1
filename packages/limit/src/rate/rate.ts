// How many permits, and what one of them costs in time.

import { TICKS_PER_MS } from './time.ts';

export interface Rate {
  readonly permits: number;
  /** In ms. */
  readonly interval: number;
  readonly burst: number;
  /** The time that one permit takes to come, in ticks. */
  readonly cost: number;
  /** The time that a whole burst takes to come, in ticks. */
  readonly tolerance: number;
}

/** So that times stay exact in a double for years. */
const MOST_TICKS = 2 ** 52;

/** Throws `RangeError`. */
export function rateOf(permits: number, interval: number, burst: number): Rate {
  // Rounded up: never more than what was promised.
  const cost = Math.ceil((interval * TICKS_PER_MS) / permits);
  if (permits > interval * TICKS_PER_MS)
    throw new RangeError(
      `permits must be at most ${TICKS_PER_MS} for each ms of the interval: received ${permits} in ${interval} ms`,
    );
  const tolerance = burst * cost;
  if (tolerance > MOST_TICKS)
    throw new RangeError(
      `burst must be a number of permits that comes within 8 years: received ${burst}, with ${permits} in ${interval} ms`,
    );
  return { permits, interval, burst, cost, tolerance };
}
