// The generic cell rate algorithm for one thread, in the continuous-state form ("leaky bucket") of ITU-T I.371. The
// limiter uses another form. This one gives the expected results of property tests.

export class PlainBucket {
  readonly #burst: number;
  readonly #permitsPerMs: number;
  #level = 0;
  #at = 0;

  constructor(permits: number, interval: number, burst: number) {
    this.#burst = burst;
    this.#permitsPerMs = permits / interval;
  }

  /** Takes permits at that time, which never decreases. */
  take(at: number, weight: number): boolean {
    const level = Math.max(0, this.#level - (at - this.#at) * this.#permitsPerMs);
    this.#level = level;
    this.#at = at;
    // Times are whole ticks. The error of a double is far less than a thousandth of a permit.
    if (level + weight > this.#burst + 1e-6) return false;
    this.#level += weight;
    return true;
  }
}

export interface Grant {
  readonly at: number;
  readonly weight: number;
}

/** Returns how many permits beyond the rate the worst window has. */
export function excess(grants: readonly Grant[], permits: number, interval: number, burst: number): number {
  let most = -Infinity;
  // The largest value of (permits up to a grant) - rate * time, over a smaller earlier value: one pass instead of all
  // pairs.
  let sum = 0;
  let least = Infinity;
  for (const { at, weight } of grants) {
    const credit = (at * permits) / interval;
    least = Math.min(least, sum - credit);
    sum += weight;
    most = Math.max(most, sum - credit - least - burst);
  }
  return most;
}
