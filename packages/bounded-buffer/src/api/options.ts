// The options of a bounded buffer, and its layout in memory.

import type { Arena, WaitingPolicy } from '@sluice/core';
import { checkInteger, checkOptions, show } from '@sluice/core/calls';
import { BYTES, checkCodec, JSON_CODEC, type Codec } from './codec.ts';

export interface PlacedOptions {
  /** The arena that contains the buffer. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Name for reports and messages, at most 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** How this agent waits for the buffer. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
}

export interface TakingOptions {
  /** How this agent waits for the buffer. Default: the arena's policy. */
  readonly policy?: PlacedOptions['policy'];
  /**
   * Called when this agent takes a value, with the number, or with the bytes before they are decoded.
   *
   * A value is taken when the count `popped` has passed it. When a value is taken, everything that `onTake` wrote to
   * shared memory is there, even if the agent dies at that moment. The function must be quick, must not throw, and must
   * not use the buffer.
   */
  readonly onTake?: ((packed: unknown) => void) | undefined;
}

export interface NumberBufferOptions extends PlacedOptions {
  /** `'int32'`: whole numbers from -2^31 to 2^31 - 1. `'float64'`: any number. */
  readonly codec: 'int32' | 'float64';
  /** The number of values that fit, 1 to 2^24. Default 1024. */
  readonly capacity?: number | undefined;
}

/** Options with `slotBytes` or `ringBytes`. Without both, the ring has 64 KiB. */
export interface ByteBufferOptions<T> extends PlacedOptions {
  /**
   * `'bytes'`: Uint8Arrays. `'json'` (default): all values that JSON can represent. Otherwise a codec of your own,
   * which each agent supplies.
   */
  readonly codec?: 'bytes' | 'json' | Codec<T> | undefined;
  /**
   * The number of values that fit, 1 to 2^24. Default 1024 with `slotBytes`. In a ring, the bytes limit the number.
   * With a `capacity`, each value takes at least its share of the ring.
   */
  readonly capacity?: number | undefined;
  /** Each value has a slot of this many bytes, 1 to 2^20. A longer value is refused. */
  readonly slotBytes?: number | undefined;
  /**
   * Values of any length share a ring of this many bytes, 8 to 2^28. Each value takes 4 bytes more than its length,
   * rounded up to 4.
   */
  readonly ringBytes?: number | undefined;
}

export type BufferOptions<T> = NumberBufferOptions | ByteBufferOptions<T>;

const BUFFER_OPTIONS: readonly (keyof ByteBufferOptions<never>)[] = [
  'codec',
  'capacity',
  'slotBytes',
  'ringBytes',
  'arena',
  'name',
  'policy',
];
/** The options of `from`. */
export const FROM_OPTIONS: readonly (keyof TakingOptions | 'codec')[] = ['policy', 'onTake', 'codec'];

const DEFAULT_CAPACITY = 1024;
const MAX_VALUES = 2 ** 24;
const MAX_SLOT_BYTES = 2 ** 20;
const MAX_RING_BYTES = 2 ** 28;
const DEFAULT_RING_BYTES = 65_536;
/** Bytes per word. Room is counted in words; the first word of each value holds its length in bytes. */
export const WORD = 4;

/** The layout of values in the ring. */
export interface RingShape {
  /** Bytes of one unit of room. */
  readonly unitBytes: number;
  /** The units of room that may be in use. */
  readonly room: number;
  /** The smallest number of units that a value takes. */
  readonly least: number;
  /** The longest value, in bytes. 0: all values are numbers. */
  readonly most: number;
}

/** Returns the size of the ring in bytes. Positions wrap at 2^32, so the number of units is a power of two. */
export function ringBytesOf({ unitBytes, room }: RingShape): number {
  return unitBytes * 2 ** Math.ceil(Math.log2(room));
}

/** Checks the options and returns the layout. Throws `TypeError`, `RangeError`. */
export function shapeOf(options: BufferOptions<never>): RingShape {
  checkOptions(options, BUFFER_OPTIONS);
  const { codec, capacity } = options;
  if (capacity !== undefined) checkInteger('capacity', capacity, 1, MAX_VALUES);
  if (isNumeric(codec)) return numbers(codec, options);
  const { slotBytes, ringBytes } = options as ByteBufferOptions<never>;
  if (slotBytes !== undefined && ringBytes !== undefined) {
    throw new TypeError(
      `slotBytes and ringBytes exclude each other: received ${show(slotBytes)} and ${show(ringBytes)}`,
    );
  }
  return slotBytes === undefined ? ring(ringBytes, capacity) : slots(slotBytes, capacity);
}

function isNumeric(codec: unknown): codec is 'int32' | 'float64' {
  return codec === 'int32' || codec === 'float64';
}

function numbers(codec: 'int32' | 'float64', options: object): RingShape {
  const { capacity = DEFAULT_CAPACITY, slotBytes, ringBytes } = options as ByteBufferOptions<never>;
  if (slotBytes !== undefined || ringBytes !== undefined)
    throw new TypeError(`A buffer of ${codec} has neither slotBytes nor ringBytes: give its size as capacity.`);
  return { unitBytes: codec === 'int32' ? WORD : 2 * WORD, room: capacity, least: 1, most: 0 };
}

function slots(slotBytes: number, capacity = DEFAULT_CAPACITY): RingShape {
  checkInteger('slotBytes', slotBytes, 1, MAX_SLOT_BYTES);
  const least = 1 + Math.ceil(slotBytes / WORD);
  const room = capacity * least;
  if (room * WORD > MAX_RING_BYTES) {
    throw new RangeError(
      `All slots together may have ${MAX_RING_BYTES} bytes: received ${capacity} of ${slotBytes} bytes, each with 4 bytes more`,
    );
  }
  return { unitBytes: WORD, room, least, most: slotBytes };
}

function ring(ringBytes = DEFAULT_RING_BYTES, capacity?: number): RingShape {
  checkInteger('ringBytes', ringBytes, 2 * WORD, MAX_RING_BYTES);
  const room = Math.floor(ringBytes / WORD);
  const least = capacity === undefined ? 1 : Math.floor(room / capacity);
  if (least === 0)
    throw new RangeError(`The capacity must not be more than ringBytes / 4, ${room}: received ${capacity}`);
  // With a capacity, all of the room is divided up. Otherwise one more value might fit.
  return { unitBytes: WORD, room: capacity === undefined ? room : least * capacity, least, most: (room - 1) * WORD };
}

/** Returns the codec with the name `codec`, or `codec` itself. Returns `undefined` for numbers. Throws `TypeError`. */
export function codecOf(codec: unknown = 'json'): Codec<unknown> | undefined {
  if (isNumeric(codec)) return undefined;
  if (codec === 'bytes') return BYTES;
  if (codec === 'json') return JSON_CODEC;
  if (typeof codec === 'string')
    throw new TypeError(`The codec must be 'int32', 'float64', 'bytes', 'json' or an object: received ${show(codec)}`);
  checkCodec(codec);
  return codec;
}

/** Returns the codec's name for the handle. */
export function nameOf(codec: unknown = 'json'): string {
  return typeof codec === 'string' ? codec : (codec as Codec<unknown>).name;
}
