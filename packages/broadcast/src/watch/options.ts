// The options of a watch cell.

import type { Arena, WaitingPolicy } from '@sluice/core';
import {
  checkInteger,
  checkOptions,
  codecOf,
  fixedBytes,
  show,
  type CodecName,
  type ValueCodec,
} from '@sluice/core/calls';
import type { PrimitiveHandle } from '@sluice/core/internal';

/** Converts values to bytes and back. Every thread supplies its own, with the same name. A buffer's codec fits, too. */
export type WatchCodec<T> = ValueCodec<T>;

export interface WatchCellOptions<T> {
  /**
   * `'json'` (default): all values that JSON can represent. `'bytes'`: a `Uint8Array`. `'int32'`, `'float64'`: a
   * number. Otherwise a codec of your own, which each agent supplies.
   */
  readonly codec?: CodecName | WatchCodec<T> | undefined;
  /**
   * The longest value in bytes, as encoded; 1 to 2^20, default 1024. A cell takes eight times as much memory. Not used
   * for numbers.
   */
  readonly maxBytes?: number | undefined;
  /** The arena that contains the cell. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Name for reports and messages, at most 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** How this agent waits for the cell. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
}

/** The options of `from`. */
export interface WatchCellFromOptions<T> extends Pick<WatchCellOptions<T>, 'policy'> {
  /** The cell's codec, if it is a codec of your own. */
  readonly codec?: WatchCellOptions<T>['codec'];
}

/**
 * The handle of a cell. `codec` is the name of its codec. `values` carries the type of the values in the type system
 * only.
 */
export type WatchCellHandle<T = unknown> = PrimitiveHandle<'sluice.watch-cell'> & {
  readonly codec: string;
  readonly values?: T;
};

export const FROM_OPTIONS: readonly string[] = ['policy', 'codec'];
const OPTIONS: readonly (keyof WatchCellOptions<never>)[] = ['codec', 'maxBytes', 'arena', 'name', 'policy'];
const DEFAULT_BYTES = 1024;
const MAX_BYTES = 2 ** 20;

/** Checks the options. Throws `TypeError`, `RangeError`. */
export function checkedShape(options: WatchCellOptions<never>): {
  readonly codec: WatchCodec<unknown>;
  readonly most: number;
} {
  checkOptions(options, OPTIONS);
  const codec = codecOf(options.codec);
  const fixed = fixedBytes(codec.name);
  if (fixed !== undefined && options.maxBytes !== undefined)
    throw new TypeError(`A cell of ${codec.name} has no maxBytes: received ${show(options.maxBytes)}`);
  return { codec, most: fixed ?? checkInteger('maxBytes', options.maxBytes ?? DEFAULT_BYTES, 1, MAX_BYTES) };
}
