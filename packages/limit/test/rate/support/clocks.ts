// Clocks that tests set, in ms, and limiters that read them.

import { createWithClock, openWithClock, type RateLimiter } from '../../../src/rate/rate-limiter.ts';
import type { RateLimiterOptions } from '../../../src/rate/options.ts';

/** What a clock shows at first. */
export const START = 1_000_000;

/** Begins at a whole ms, as agreed time does. */
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

/** The same limiter, as an agent with a clock of its own sees it. */
export function withOwnClock({ handle }: RateLimiter, start?: number): ByHand {
  const clock = new HandClock(start);
  return { limiter: openWithClock(handle, clock.read), clock };
}
