// The rate of a limiter: the number of permits, and the cost of one permit in ticks of the server's clock.

import { checkInteger, checkOptions, MAX_PERMITS, show } from '@sluice/core/calls';

export interface RemoteRateOptions {
  /** The number of permits in each interval, 1 to 2^31 − 1. */
  readonly permits: number;
  /** The length of an interval in ms, measured by the server: more than 0, at most a year. */
  readonly interval: number;
  /**
   * The largest number of permits that can be taken at once, after a time without calls: 1 to 2^31 − 1. Default:
   * `permits`.
   */
  readonly burst?: number | undefined;
}

export interface RemoteRate {
  readonly permits: number;
  /** In ms. */
  readonly interval: number;
  readonly burst: number;
  /** The time in which one permit becomes available, in ticks. */
  readonly cost: number;
}

export const TICKS_PER_MS = 16_000;
const LONGEST_INTERVAL = 366 * 24 * 60 * 60 * 1000;
/** Four years. Within this limit the server, whose numbers are doubles, counts exactly. */
const MAX_TICKS = 2 ** 51;

/**
 * Checks the options and returns their rate. `title` is for messages, such as `RateLimiter "api"`. Throws `TypeError`
 * or `RangeError`.
 */
export function checkRate(title: string, options: RemoteRateOptions): RemoteRate {
  checkOptions(options, ['permits', 'interval', 'burst']);
  const { permits, interval, burst = permits } = options;
  checkInteger(`${title}: permits`, permits, 1, MAX_PERMITS);
  if (typeof interval !== 'number')
    throw new TypeError(`${title}: interval must be a number: received ${show(interval)}`);
  if (!(interval > 0 && interval <= LONGEST_INTERVAL))
    throw new RangeError(`${title}: interval must be more than 0 ms and at most 366 days: received ${interval}`);
  checkInteger(`${title}: burst`, burst, 1, MAX_PERMITS);
  if (permits > interval * TICKS_PER_MS)
    throw new RangeError(
      `${title}: permits must be at most ${TICKS_PER_MS} for each ms of the interval: received ${permits} in ${interval} ms`,
    );
  // Rounded up, so that the limiter never exceeds the promised rate.
  const cost = Math.ceil((interval * TICKS_PER_MS) / permits);
  if (burst * cost > MAX_TICKS)
    throw new RangeError(
      `${title}: burst must be a number of permits that comes within 4 years: received ${burst}, with ${permits} in ${interval} ms`,
    );
  return { permits, interval, burst, cost };
}
