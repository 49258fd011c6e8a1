// The options of a cache.

import type { Arena } from '@sluice/core';
import {
  checkInteger,
  checkOptions,
  codecOf,
  isBuiltInCodec,
  show,
  type CodecName,
  type ValueCodec,
} from '@sluice/core/calls';
import type { PrimitiveHandle } from '@sluice/core/internal';
import { CHUNK_BYTES, FEWEST_CHUNKS } from './layout.ts';
import type { StoreShape } from './store-block.ts';

/**
 * Converts values to bytes and back. Every thread supplies its own, with the same name. A codec of a `BoundedBuffer`
 * fits, too.
 */
export type CacheCodec<T> = ValueCodec<T>;

export interface SharedCacheOptions<T> {
  /**
   * The maximum of all entries together in bytes, 4,096 to 2^29. The cache takes this memory at its creation, and at
   * most 7 % and 3 KiB more. An entry takes 56 bytes, 2 for each code unit of its key, and its encoded value, rounded
   * up to a multiple of 256.
   */
  readonly maxBytes: number;
  /** The time in ms for which a value is fresh, a whole number of at least 1. Default: for ever. */
  readonly ttl?: number | undefined;
  /**
   * The time in ms after `ttl` for which a call still returns the old value, while one caller computes the next.
   * Default: 0.
   */
  readonly staleFor?: number | undefined;
  /**
   * `'json'` (default): all values that JSON can represent. `'bytes'`: a `Uint8Array`. `'int32'`, `'float64'`: a
   * number. Otherwise a codec of your own, which each thread supplies.
   */
  readonly codec?: CodecName | CacheCodec<T> | undefined;
  /** The number of values that this instance keeps decoded, as `SharedCacheFromOptions.keepDecoded`. Default: 0. */
  readonly keepDecoded?: number | undefined;
  /** The arena that contains the cache. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Name for reports and messages, at most 60 bytes of UTF-8. */
  readonly name?: string | undefined;
}

/** The options of `from`. */
export interface SharedCacheFromOptions<T> {
  /** The cache's codec, if it is a codec of your own. */
  readonly codec?: CodecName | CacheCodec<T> | undefined;
  /**
   * The number of values that this instance keeps decoded, 0 (default) to 2^20: those that it used last. While such a
   * value is unchanged, calls of this instance that find it return the same object, and copy and decode nothing. Do not
   * change these objects.
   */
  readonly keepDecoded?: number | undefined;
}

/** The options of `set`. */
export interface CacheSetOptions {
  /** The time in ms for which this value is fresh, a whole number of at least 1. Default: that of the cache. */
  readonly ttl?: number | undefined;
}

/**
 * The handle of a cache. `codec` is the name of its codec. `values` carries the type of the values in the type system
 * only.
 */
export type SharedCacheHandle<T = unknown> = PrimitiveHandle<'sluice.cache'> & {
  readonly codec: string;
  readonly values?: T;
};

const OPTIONS: readonly (keyof SharedCacheOptions<never>)[] = [
  'maxBytes',
  'ttl',
  'staleFor',
  'codec',
  'keepDecoded',
  'arena',
  'name',
];
const FROM_OPTIONS: readonly (keyof SharedCacheFromOptions<never>)[] = ['codec', 'keepDecoded'];
const SET_OPTIONS: readonly (keyof CacheSetOptions)[] = ['ttl'];
const FEWEST_BYTES = FEWEST_CHUNKS * CHUNK_BYTES;
const MOST_BYTES = 2 ** 29;
const MOST_DECODED = 2 ** 20;
/** About 34 years. */
const MOST_MS = 2 ** 40;

/** How an instance turns bytes into values. */
export interface Decoding {
  readonly codec: ValueCodec<unknown>;
  readonly keepDecoded: number;
}

/** Checks the options of `create`. Throws `TypeError` and `RangeError`. */
export function planOf(options: SharedCacheOptions<never>): StoreShape & Decoding {
  checkOptions(options, OPTIONS);
  const codec = codecOf(options.codec);
  const bytes = checkInteger('maxBytes', options.maxBytes, FEWEST_BYTES, MOST_BYTES);
  const ttl = options.ttl === undefined ? 0 : checkInteger('ttl', options.ttl, 1, MOST_MS);
  const staleFor = options.staleFor === undefined ? 0 : checkInteger('staleFor', options.staleFor, 0, MOST_MS);
  return { codec, keepDecoded: keptOf(options), chunks: Math.floor(bytes / CHUNK_BYTES), ttl, staleFor };
}

function keptOf({ keepDecoded }: { readonly keepDecoded?: number | undefined }): number {
  return keepDecoded === undefined ? 0 : checkInteger('keepDecoded', keepDecoded, 0, MOST_DECODED);
}

/** Checks the options of `from` against a handle. Throws `TypeError` and `RangeError`. */
export function decodingOf(handle: { readonly codec: unknown }, options: SharedCacheFromOptions<never>): Decoding {
  checkOptions(options, FROM_OPTIONS);
  const made = handle.codec;
  if (options.codec === undefined && !(typeof made === 'string' && isBuiltInCodec(made)))
    throw new TypeError(`The cache was created with the codec ${show(made)}: pass it, from(handle, { codec })`);
  const codec = codecOf(options.codec ?? made);
  if (codec.name !== made)
    throw new TypeError(`The cache was created with the codec ${show(made)}: received ${show(codec.name)}`);
  return { codec, keepDecoded: keptOf(options) };
}

/**
 * Returns the time to live that `set` was given; `undefined` for that of the cache. Throws `TypeError` and
 * `RangeError`.
 */
export function ttlOf(options: CacheSetOptions | undefined): number | undefined {
  if (options === undefined) return undefined;
  checkOptions(options, SET_OPTIONS);
  return options.ttl === undefined ? undefined : checkInteger('ttl', options.ttl, 1, MOST_MS);
}
