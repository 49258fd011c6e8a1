// The options of a cache over a server.

import { checkInteger, checkOptions, codecOf, type CodecName, type ValueCodec } from '@sluice/core/calls';

export interface RemoteCacheOptions<T> {
  /** The time in ms for which a value is fresh, a whole number from 1. Default: 604,800,000, a week. */
  readonly ttl?: number | undefined;
  /**
   * The time in ms after `ttl` for which a call still returns the old value, while one caller computes the next.
   * Default: 0. Together with `ttl` at most 2,592,000,000, 30 days.
   */
  readonly staleFor?: number | undefined;
  /**
   * `'json'` (default), `'bytes'`, `'int32'`, `'float64'`, or a codec of your own. All processes must use the same
   * codec.
   */
  readonly codec?: CodecName | ValueCodec<T> | undefined;
  /** The maximum length of an encoded value in bytes, 1 to 2^24. Default: 2^20. */
  readonly capacity?: number | undefined;
}

/** The options of `set`. */
export interface RemoteCacheSetOptions {
  /** The time in ms for which this value is fresh, a whole number from 1. Default: that of the cache. */
  readonly ttl?: number | undefined;
}

const MAX_MS = 2_592_000_000;
const WEEK_MS = 604_800_000;
const MAX_BYTES = 2 ** 24;

export interface RemoteCachePlan {
  readonly ttl: number;
  readonly staleFor: number;
  readonly codec: ValueCodec<unknown>;
  readonly capacity: number;
}

/** Checks the options. Throws `TypeError` and `RangeError`. */
export function planOf<T>(title: string, options: RemoteCacheOptions<T>): RemoteCachePlan {
  checkOptions(options, ['ttl', 'staleFor', 'codec', 'capacity']);
  const { ttl = WEEK_MS, staleFor = 0, capacity = 2 ** 20 } = options;
  checkInteger(`${title}: ttl`, ttl, 1, MAX_MS);
  checkInteger(`${title}: staleFor`, staleFor, 0, MAX_MS - ttl);
  checkInteger(`${title}: capacity`, capacity, 1, MAX_BYTES);
  return { ttl, staleFor, codec: codecOf(options.codec), capacity };
}

/** Returns the time for which a value of `set` is fresh. Throws `TypeError` and `RangeError`. */
export function ttlOf(title: string, { ttl, staleFor }: RemoteCachePlan, options: RemoteCacheSetOptions): number {
  checkOptions(options, ['ttl']);
  return options.ttl === undefined ? ttl : checkInteger(`${title}: ttl`, options.ttl, 1, MAX_MS - staleFor);
}
