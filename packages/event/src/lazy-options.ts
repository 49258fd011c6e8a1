// The options of a lazy.

import {
  checkInteger,
  checkOptions,
  codecOf,
  fixedBytes,
  FROM_OPTIONS,
  isBuiltInCodec,
  PLACED_OPTIONS,
  show,
  type ValueCodec,
} from '@sluice/core/calls';
import type { LockOptions } from '@sluice/core/internal';
import type { PlainLazyHandle } from './lazy-handle.ts';

export interface LazyNumberOptions extends LockOptions {
  /** `'int32'`: whole numbers from -2^31 to 2^31 - 1. `'float64'`: any number. */
  readonly codec: 'int32' | 'float64';
}

export interface LazyBytesOptions<T> extends LockOptions {
  /**
   * `'bytes'`: a Uint8Array. `'json'` (default): a value that JSON can represent. For other values, a codec of your
   * own, which each agent supplies.
   */
  readonly codec?: 'bytes' | 'json' | ValueCodec<T> | undefined;
  /** The maximum size of the encoded value in bytes, 1 to 2^28. Default: 1024. */
  readonly capacity?: number | undefined;
}

export type LazyOptions<T> = LazyNumberOptions | LazyBytesOptions<T>;

const LAZY_OPTIONS: readonly string[] = [...PLACED_OPTIONS, 'codec', 'capacity'];
const OPEN_OPTIONS: readonly string[] = [...FROM_OPTIONS, 'codec'];
const DEFAULT_CAPACITY = 1024;
const MAX_BYTES = 2 ** 28;

/** Returns the codec, the capacity and the block's options for `create`. Throws `TypeError` and `RangeError`. */
export function planOf(options: LazyOptions<never>): {
  readonly codec: ValueCodec<unknown>;
  readonly capacity: number;
  readonly placed: LockOptions;
} {
  checkOptions(options, LAZY_OPTIONS);
  const { codec: given, capacity = DEFAULT_CAPACITY, ...placed } = options as LazyBytesOptions<never>;
  const codec = codecOf(given);
  const each = fixedBytes(codec.name);
  if (each !== undefined && 'capacity' in options)
    throw new TypeError(`A lazy of ${codec.name} has no capacity: received ${show(options.capacity)}`);
  return { codec, capacity: each ?? checkInteger('capacity', capacity, 1, MAX_BYTES), placed };
}

/** Returns the codec for a handle, and the other options of `from`. Throws `TypeError`. */
export function openingOf<T>(
  handle: PlainLazyHandle,
  options: Pick<LockOptions, 'policy'> & { readonly codec?: ValueCodec<T> | undefined },
): { readonly codec: ValueCodec<unknown>; readonly placed: Pick<LockOptions, 'policy'> } {
  checkOptions(options, OPEN_OPTIONS);
  const { codec: given, ...placed } = options;
  const made = (handle as Partial<PlainLazyHandle> | null | undefined)?.codec;
  if (given === undefined && typeof made === 'string' && !isBuiltInCodec(made)) {
    throw new TypeError(`The lazy was made with the codec ${show(made)}: pass it, from(handle, { codec })`);
  }
  const codec = given === undefined ? codecOf(typeof made === 'string' ? made : undefined) : codecOf(given);
  if (typeof made === 'string' && codec.name !== made)
    throw new TypeError(`The lazy was made with the codec ${show(made)}: received ${show(codec.name)}`);
  return { codec, placed };
}
