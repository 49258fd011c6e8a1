// Converts the value of a lazy to bytes.

import { checkObject, decodeText, encodeText, isUint8Array, show } from '@sluice/core/internal';

/**
 * Turns a value into bytes and back. Every agent supplies a codec with the same name. The codecs of
 * `@sluice/bounded-buffer` have the same members.
 */
export interface ValueCodec<T> {
  /** The codec's name. A lazy created with one codec cannot be opened with another. */
  readonly name: string;
  encode(value: T): Uint8Array;
  /** `bytes` is a private copy. */
  decode(bytes: Uint8Array): T;
}

/** A codec of this package. `encode` returns `undefined` for a value that it cannot represent. */
export interface Packing {
  readonly name: string;
  encode(value: unknown): Uint8Array | undefined;
  decode(bytes: Uint8Array): unknown;
}

const INT32: Packing = {
  name: 'int32',
  encode: (value) =>
    typeof value === 'number' && (value | 0) === value ? new Uint8Array(Int32Array.of(value).buffer) : undefined,
  decode: (bytes) => new Int32Array(bytes.buffer)[0],
};

const FLOAT64: Packing = {
  name: 'float64',
  encode: (value) => (typeof value === 'number' ? new Uint8Array(Float64Array.of(value).buffer) : undefined),
  decode: (bytes) => new Float64Array(bytes.buffer)[0],
};

const BYTES: Packing = {
  name: 'bytes',
  encode: (value) => (isUint8Array(value) ? value : undefined),
  decode: (bytes) => bytes,
};

const JSON_TEXT: Packing = {
  name: 'json',
  encode: (value) => {
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) return undefined;
    // Worklets have neither TextEncoder nor TextDecoder.
    return encodeText(text);
  },
  decode: (bytes) => JSON.parse(decodeText(bytes)) as unknown,
};

const BUILT_IN: Readonly<Record<string, Packing>> = { int32: INT32, float64: FLOAT64, bytes: BYTES, json: JSON_TEXT };

/** Returns the number of bytes of each value, or `undefined` if it varies. */
export function bytesOfEach({ name }: Packing): number | undefined {
  if (name === INT32.name) return Int32Array.BYTES_PER_ELEMENT;
  return name === FLOAT64.name ? Float64Array.BYTES_PER_ELEMENT : undefined;
}

/** Whether `name` belongs to a codec of this package. */
export function isBuiltIn(name: string): boolean {
  return Object.hasOwn(BUILT_IN, name);
}

/** Returns the codec with that name, or the codec itself. Throws `TypeError`. */
export function packingOf(codec: unknown = 'json'): Packing {
  if (typeof codec === 'string') {
    const known = isBuiltIn(codec) ? BUILT_IN[codec] : undefined;
    if (known === undefined)
      throw new TypeError(
        `The codec must be 'int32', 'float64', 'bytes', 'json' or an object: received ${show(codec)}`,
      );
    return known;
  }
  checkObject(codec);
  const { name, encode, decode } = codec as Partial<ValueCodec<unknown>>;
  if (typeof name !== 'string' || name === '' || typeof encode !== 'function' || typeof decode !== 'function') {
    throw new TypeError(`A codec must have a name, encode and decode: received ${show(codec)}`);
  }
  if (isBuiltIn(name))
    throw new TypeError(`The codec's name must not be that of a built-in codec: received ${show(name)}`);
  return codec as ValueCodec<unknown>;
}
