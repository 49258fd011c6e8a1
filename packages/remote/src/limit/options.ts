// The options of a limit over a server, which are those of `createLimit`, and their checks.

import { UnsupportedError, type WaitOptions } from '@sluice/core';
import { checkFlag, checkInteger, checkOptions, MAX_PERMITS, show } from '@sluice/core/calls';

/** A strict limit keeps the time of each start. */
const MAX_STRICT = 10_000;

export interface RemoteLimitOptions {
  /** The number of functions that may run at a time, over all processes: 1 or more. */
  readonly concurrency: number;
  /** The length of an interval in ms, measured by the server. Default: no intervals. */
  readonly interval?: number | undefined;
  /** The number of functions that may start in each interval, over all processes. Default: `concurrency`. */
  readonly intervalCap?: number | undefined;
  /**
   * Whether `intervalCap` holds for any time of `interval` ms, not only for each of the successive intervals. Then
   * `intervalCap` is at most 10,000: the time of each start is kept. Default: `false`.
   */
  readonly strict?: boolean | undefined;
  /**
   * The number of calls of this process that one slot may serve before it goes back to the server. Default: 4, or 1
   * with an interval.
   */
  readonly bypass?: number | undefined;
  /**
   * The time that this process keeps an idle slot while no other process waits, in ms. Default: 20, or 0 with an
   * interval.
   */
  readonly linger?: number | undefined;
  /** Whether `clearQueue` rejects the calls that it drops, with an `AbortError`. Default `false`: they never settle. */
  readonly rejectOnClear?: boolean | undefined;
  /**
   * The maximum of waiting calls, over all processes: 0 or more. A call beyond it rejects with `OverloadedError`, or
   * takes the place of another one (`shed`). All processes must give the same number. Default: `Infinity`.
   */
  readonly maxWaiting?: number | undefined;
  /**
   * The call that rejects when too many wait. `'newest'`: the one that arrives. `'oldest'`: the longest-waiting call
   * among the calls of the lowest priority that were made through this object. If all of them have a higher priority than
   * the new call, the new call rejects. Default: `'newest'`.
   */
  readonly shed?: 'newest' | 'oldest' | undefined;
  /** Not possible over a server: `space.limit` throws `UnsupportedError` (decision 239). */
  readonly adaptive?: undefined;
  /** Not possible over a server: the server counts the calls that start. */
  readonly carryoverIntervalCount?: undefined;
}

/** Options of one call. */
export interface RemoteRunOptions<Args extends unknown[] = []> extends WaitOptions {
  /** The arguments of the function. */
  readonly args?: Args | undefined;
  /**
   * Among the waiting calls of this process, those with a higher number start first. Equal numbers start in the order of
   * the calls. Default: 0.
   */
  readonly priority?: number | undefined;
}

export interface RemoteLimitTerms {
  readonly permits: number;
  readonly interval: number;
  /** The number of functions that may start in an interval. Below 0: in any time of that length. */
  readonly starts: number;
  readonly rejectOnClear: boolean;
  readonly maxWaiting: number;
  readonly shedsOldest: boolean;
}

/** What `createLimit` has in memory, and what to do instead. */
const MISSING: ReadonlyMap<string, string> = new Map([
  ['adaptive', 'set the concurrency with resize(), or give each process a createLimit({ adaptive }) of its own'],
  ['isOverload', 'it belongs to adaptive'],
  ['carryoverIntervalCount', 'without it'],
]);

const OPTIONS: readonly string[] = [
  'concurrency',
  'interval',
  'intervalCap',
  'strict',
  'bypass',
  'linger',
  'rejectOnClear',
  'maxWaiting',
  'shed',
];

/** Checks the options. Throws `TypeError`, `RangeError`, and `UnsupportedError` for an option of `createLimit` only. */
export function checkLimit(name: string, options: RemoteLimitOptions): RemoteLimitTerms {
  const title = `Limit ${show(name)}`;
  for (const [option, instead] of MISSING) {
    if ((options as unknown as Record<string, unknown>)[option] !== undefined)
      throw new UnsupportedError(`${title}: ${option} is not possible over a server: ${instead}.`);
  }
  checkOptions(options, [...OPTIONS, ...MISSING.keys()]);
  const { concurrency: permits, interval = 0, intervalCap = permits, strict, rejectOnClear = false } = options;
  checkFlag(`${title}: strict`, strict);
  checkInteger(`${title}: concurrency`, permits, 1, MAX_PERMITS);
  checkInteger(`${title}: interval`, interval, 0, MAX_PERMITS);
  if (strict === true && interval === 0)
    throw new TypeError(`${title}: strict needs an interval: received ${show(options.interval)}`);
  checkInteger(`${title}: intervalCap`, intervalCap, 1, strict === true ? MAX_STRICT : MAX_PERMITS);
  const { maxWaiting = Infinity, shed } = options;
  if (shed !== undefined && !['newest', 'oldest'].includes(shed))
    throw new TypeError(`${title}: shed must be 'newest' or 'oldest': received ${show(shed)}`);
  if (shed !== undefined && maxWaiting === Infinity)
    throw new TypeError(`${title}: shed has no effect without maxWaiting: add maxWaiting`);
  if (maxWaiting !== Infinity) checkInteger(`${title}: maxWaiting`, maxWaiting, 0, MAX_PERMITS);
  const starts = strict === true ? -intervalCap : intervalCap;
  return { permits, interval, starts, rejectOnClear, maxWaiting, shedsOldest: shed === 'oldest' };
}

/** Throws `TypeError` if the value is neither an array nor `undefined`. */
export function checkArgs(args: unknown): void {
  if (args !== undefined && !Array.isArray(args)) throw new TypeError(`args must be an array: received ${show(args)}`);
}

export function checkPriority(priority: unknown): number {
  if (typeof priority !== 'number' || Number.isNaN(priority))
    throw new TypeError(`priority must be a number: received ${show(priority)}`);
  return priority;
}
