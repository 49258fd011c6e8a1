// The options of a broadcast and of its subscriptions.

import type { Arena, WaitingPolicy } from '@sluice/core';
import {
  checkFunction,
  checkInteger,
  checkOptions,
  codecOf,
  fixedBytes,
  show,
  type CodecName,
  type ValueCodec,
} from '@sluice/core/calls';
import type { PrimitiveHandle } from '@sluice/core/internal';
import { slotStride } from './slots/byte-slots.ts';
import { SPARES } from './kernel/layout.ts';

/**
 * Converts values to bytes and back. Every thread supplies its own, with the same name. A codec of a `BoundedBuffer`
 * fits, too.
 */
export type BroadcastCodec<T> = ValueCodec<T>;

export interface BroadcastOptions<T> {
  /** The number of values that are kept, 1 to 2^20, default 64. Rounded up to a power of two. */
  readonly capacity?: number | undefined;
  /**
   * The rule for a subscription that is `capacity` values behind. `'lag'` (default): publishers continue. The
   * subscription loses values and learns their number. `'wait'`: publishers wait for it, so no subscription loses a
   * value.
   */
  readonly overflow?: 'lag' | 'wait' | undefined;
  /**
   * With `overflow: 'wait'`: the maximum number of subscriptions at a time, 1 to 1024, default 16. Each takes 64 bytes.
   */
  readonly maxSubscriptions?: number | undefined;
  /**
   * `'json'` (default): all values that JSON can represent. `'bytes'`: a `Uint8Array`. `'int32'`, `'float64'`: a
   * number. Otherwise a codec of your own, which each agent supplies.
   */
  readonly codec?: CodecName | BroadcastCodec<T> | undefined;
  /**
   * The longest value in bytes, as encoded; 1 to 2^20, default 1024. The broadcast takes memory for `capacity` + 8
   * values of this length. Not used for `'int32'` and `'float64'`.
   */
  readonly maxBytes?: number | undefined;
  /** The arena that contains the broadcast. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Name for reports and messages, at most 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** How this agent waits for values. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
}

/** The options of `from`. */
export interface BroadcastFromOptions<T> extends Pick<BroadcastOptions<T>, 'policy'> {
  /** The broadcast's codec, if it is a codec of your own. */
  readonly codec?: BroadcastOptions<T>['codec'];
}

/** The options of `subscribe`. */
export interface SubscribeOptions {
  /**
   * Where the subscription begins: at the next published value (`'next'`, default), or at the oldest kept value
   * (`'oldest'`). With `overflow: 'wait'`, the oldest is at most `capacity` - 1 values back.
   */
  readonly from?: 'next' | 'oldest' | undefined;
  /**
   * With `overflow: 'lag'`: called with the number of lost values. The call that found the loss then continues. Without
   * `onLag`, that call throws `LaggedError`. Keep the function short: values published while it runs may be lost, too.
   */
  readonly onLag?: ((lost: number) => void) | undefined;
}

/**
 * The handle of a broadcast. `codec` is the name of its codec. `values` carries the type of the values in the type
 * system only.
 */
export type BroadcastHandle<T = unknown> = PrimitiveHandle<'sluice.broadcast'> & {
  readonly codec: string;
  readonly values?: T;
};

export const FROM_OPTIONS: readonly string[] = ['policy', 'codec'];
const OPTIONS: readonly (keyof BroadcastOptions<never>)[] = [
  'capacity',
  'overflow',
  'maxSubscriptions',
  'codec',
  'maxBytes',
  'arena',
  'name',
  'policy',
];
const SUBSCRIBE_OPTIONS: readonly (keyof SubscribeOptions)[] = ['from', 'onLag'];
const DEFAULT_CAPACITY = 64;
const MAX_CAPACITY = 2 ** 20;
const DEFAULT_BYTES = 1024;
const MAX_BYTES = 2 ** 20;
const MAX_SLOT_BYTES = 2 ** 28;
const DEFAULT_SUBSCRIPTIONS = 16;
const MAX_SUBSCRIPTIONS = 1024;

export interface BroadcastShape {
  readonly codec: ValueCodec<unknown>;
  /** A power of two. */
  readonly capacity: number;
  /** The longest value in bytes. */
  readonly most: number;
  /** The maximum number of registered subscriptions. 0: publishers do not wait for subscriptions. */
  readonly marks: number;
}

/** Checks the options. Throws `TypeError`, `RangeError`. */
export function checkedShape(options: BroadcastOptions<never>): BroadcastShape {
  checkOptions(options, OPTIONS);
  const codec = codecOf(options.codec);
  const fixed = fixedBytes(codec.name);
  if (fixed !== undefined && options.maxBytes !== undefined)
    throw new TypeError(`A broadcast of ${codec.name} has no maxBytes: received ${show(options.maxBytes)}`);
  const most = fixed ?? checkInteger('maxBytes', options.maxBytes ?? DEFAULT_BYTES, 1, MAX_BYTES);
  const capacity =
    2 ** Math.ceil(Math.log2(checkInteger('capacity', options.capacity ?? DEFAULT_CAPACITY, 1, MAX_CAPACITY)));
  if ((capacity + SPARES) * slotStride(most) > MAX_SLOT_BYTES) {
    throw new RangeError(
      `All values together may have ${MAX_SLOT_BYTES} bytes: received a capacity of ${capacity} and values of ${most} bytes`,
    );
  }
  return { codec, capacity, most, marks: checkedMarks(options) };
}

function checkedMarks({
  overflow = 'lag',
  maxSubscriptions,
}: {
  readonly overflow?: unknown;
  readonly maxSubscriptions?: number | undefined;
}): number {
  if (overflow !== 'lag' && overflow !== 'wait')
    throw new TypeError(`overflow must be 'lag' or 'wait': received ${show(overflow)}`);
  if (overflow === 'wait')
    return checkInteger('maxSubscriptions', maxSubscriptions ?? DEFAULT_SUBSCRIPTIONS, 1, MAX_SUBSCRIPTIONS);
  if (maxSubscriptions !== undefined)
    throw new TypeError(
      `Only a broadcast with overflow: 'wait' has maxSubscriptions: received ${show(maxSubscriptions)}`,
    );
  return 0;
}

/** Checks the options of `subscribe`. Throws `TypeError`. */
export function checkedSubscription(options: SubscribeOptions): SubscribeOptions {
  checkOptions(options, SUBSCRIBE_OPTIONS);
  const { from, onLag }: { readonly from?: unknown; readonly onLag?: unknown } = options;
  if (from !== undefined && from !== 'next' && from !== 'oldest')
    throw new TypeError(`from must be 'next' or 'oldest': received ${show(from)}`);
  if (onLag !== undefined) checkFunction(onLag);
  return options;
}
