// The options of a rate limiter and of its calls, and their checks.

import type { Arena, WaitingPolicy } from '@sluice/core';
import {
  checkInteger,
  checkOptions,
  checkTimeout,
  MAX_PERMITS,
  NO_WAIT_OPTIONS,
  PLACED_OPTIONS,
  show,
} from '@sluice/core/calls';
import { rateOf, type Rate } from './rate.ts';

/** The terms of a rate. */
export interface RateTerms {
  /** The number of permits in each interval, 1 to 2^31 − 1. */
  readonly permits: number;
  /** The length of an interval in ms: more than 0, at most a year. */
  readonly interval: number;
  /**
   * The largest number of permits that can be taken at once, after a time without calls: 1 to 2^31 − 1. Default:
   * `permits`.
   */
  readonly burst?: number | undefined;
}

export interface RateLimiterOptions extends RateTerms {
  /** The arena that contains the limiter. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Name for reports and messages, at most 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** How this agent waits for the limiter. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
}

/** Options of a blocking call. */
export interface BlockingOptions {
  /** Milliseconds after which the call throws `TimeoutError`. Default: no limit. */
  readonly timeout?: number | undefined;
}

const CREATE_OPTIONS: readonly string[] = [...PLACED_OPTIONS, 'permits', 'interval', 'burst'];
const BLOCKING_OPTIONS: readonly string[] = ['timeout'];
const LONGEST_INTERVAL = 366 * 24 * 60 * 60 * 1000;

/** Checks the options and returns their rate. Throws `TypeError` or `RangeError`. */
export function checkRate(options: RateLimiterOptions): Rate {
  checkOptions(options, CREATE_OPTIONS);
  return checkTerms(options);
}

/** Checks the terms of a rate, and returns the rate. Throws `TypeError` or `RangeError`. */
export function checkTerms(terms: RateTerms): Rate {
  const { permits, interval, burst = permits } = terms;
  checkInteger('permits', permits, 1, MAX_PERMITS);
  if (typeof interval !== 'number') throw new TypeError(`interval must be a number: received ${show(interval)}`);
  if (!(interval > 0 && interval <= LONGEST_INTERVAL))
    throw new RangeError(`interval must be more than 0 ms and at most 366 days: received ${interval}`);
  checkInteger('burst', burst, 1, MAX_PERMITS);
  return rateOf(permits, interval, burst);
}

/** Returns the timeout of a blocking call in ms, `Infinity` without a timeout. Throws `TypeError` or `RangeError`. */
export function checkBlocking(options: BlockingOptions): number {
  if (options === NO_WAIT_OPTIONS) return Infinity;
  checkOptions(options, BLOCKING_OPTIONS);
  const { timeout } = options;
  return timeout === undefined ? Infinity : checkTimeout(timeout);
}
