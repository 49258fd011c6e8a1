// The options of an interval, and their checks. Error messages begin as p-queue's do.

import { checkFlag, MAX_PERMITS, show } from '@sluice/core/calls';
import { CARRYING, FIXED, SLIDING } from '../kernel/layout.ts';
import { checkConcurrency, LIMIT_OPTIONS, type LimitOptions } from './options.ts';
import { partsOf, TICKS_PER_MS, type IntervalTerms } from './interval-terms.ts';

export interface IntervalOptions {
  /** The length of an interval, in ms: more than 0, at most 366 days. */
  readonly interval: number;
  /**
   * The maximum of calls that start in each interval, over all agents: 1 to 2^31 − 1, with `strict` to 1,000,000. Less
   * than 16,000 for each ms of `interval`.
   */
  readonly intervalCap: number;
  /**
   * Whether the functions that run when an interval begins count as started in it. An interval begins with the start of
   * its first call. Not together with `strict`. Default: `false`.
   */
  readonly carryoverIntervalCount?: boolean | undefined;
  /**
   * Whether `intervalCap` holds for any time of `interval` ms, not only for each of the successive intervals. Default:
   * `false`.
   */
  readonly strict?: boolean | undefined;
}

export interface IntervalLimitOptions extends Omit<LimitOptions, 'concurrency'>, IntervalOptions {
  /** The maximum of functions that run at a time, over all agents: 1 or more. Default: `Infinity`. */
  readonly concurrency?: number | undefined;
}

const INTERVAL_OPTIONS: readonly (keyof IntervalOptions)[] = [
  'interval',
  'intervalCap',
  'carryoverIntervalCount',
  'strict',
];
export const INTERVAL_LIMIT_OPTIONS: readonly string[] = [...LIMIT_OPTIONS, ...INTERVAL_OPTIONS];
/** A `strict` limit keeps the time of each start, in 8 bytes. */
const MAX_STRICT = 1_000_000;
const LONGEST_INTERVAL = 366 * 24 * 60 * 60 * 1000;

/** Whether the options are those of a limit with an interval. */
export function hasInterval(options: object): options is IntervalLimitOptions {
  return INTERVAL_OPTIONS.some(
    (name) => (options as { readonly [Name in keyof IntervalOptions]?: unknown })[name] !== undefined,
  );
}

/**
 * Checks the options of an interval. Throws `TypeError`, and `RangeError` if the starts would be too close for a limit
 * to tell apart.
 */
export function checkTerms({
  interval,
  intervalCap,
  carryoverIntervalCount,
  strict,
}: { readonly [Name in keyof IntervalOptions]?: unknown }): IntervalTerms {
  if (typeof interval !== 'number' || !(interval > 0 && interval <= LONGEST_INTERVAL)) {
    throw new TypeError(
      `Expected \`interval\` to be a number of ms above 0, at most 366 days: received ${show(interval)}`,
    );
  }
  checkFlag('carryoverIntervalCount', carryoverIntervalCount);
  checkFlag('strict', strict);
  const most = strict === true ? MAX_STRICT : MAX_PERMITS;
  if (!Number.isInteger(intervalCap) || (intervalCap as number) < 1 || (intervalCap as number) > most) {
    throw new TypeError(
      `Expected \`intervalCap\` to be a whole number from 1 to ${most}: received ${show(intervalCap)}`,
    );
  }
  if (strict === true && carryoverIntervalCount === true)
    throw new TypeError(
      'strict has no intervals that a count could be carried over to: leave out carryoverIntervalCount',
    );
  const mode = strict === true ? SLIDING : carryoverIntervalCount === true ? CARRYING : FIXED;
  const terms = { interval, intervalCap: intervalCap as number, mode };
  if (partsOf(terms) < 1)
    throw new RangeError(
      `Expected \`intervalCap\` to be less than ${TICKS_PER_MS} for each ms of the interval: received ${terms.intervalCap} in ${interval} ms`,
    );
  return terms;
}

/** Returns the concurrency as a number of permits. Throws `TypeError`. */
export function checkSize(concurrency: unknown): number {
  return checkConcurrency(concurrency === undefined ? Infinity : concurrency);
}
