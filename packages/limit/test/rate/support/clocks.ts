// Clocks that tests set, in ms, and limiters that read them.

import { createWithClock, openWithClock, type RateLimiter } from '../../../src/rate/rate-limiter.ts';
import type { RateLimiterOptions } from '../../../src/rate/options.ts';

/** The first reading of a clock. */
export const START = 1_000_000;

/** Starts at a whole ms, as the limiter's time does. */
export class HandClock {
  now: number;
  readonly read = (): number => this.now;

  constructor(start = START) {
    this.now = start;
  }

  pass(ms: number): void {
    this.now += ms;
  }
}

export interface ByHand {
  readonly limiter: RateLimiter;
  readonly clock: HandClock;
}

export function byHand(options: RateLimiterOptions): ByHand {
  const clock = new HandClock();
  return { limiter: createWithClock(options, clock.read), clock };
}

/** Returns the same limiter with a clock of its own, as for another agent. */
export function withOwnClock({ handle }: RateLimiter, start?: number): ByHand {
  const clock = new HandClock(start);
  return { limiter: openWithClock(handle, clock.read), clock };
}
