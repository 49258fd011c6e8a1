// Conversion between values and bytes.

import { checkObject, decodeText, encodeText, isUint8Array, show } from '@sluice/core/calls';
import { BufferRefusal } from './buffer-refusal.ts';

/**
 * Converts values to bytes and back (a serializer). Every agent that opens the buffer supplies its own, with the same
 * name.
 */
export interface Codec<T> {
  /** Identifies the codec. A buffer can only be opened with a codec of the same name. */
  readonly name: string;
  encode(value: T): Uint8Array;
  /**
   * `bytes` is a private copy. The call that takes the value throws the errors of `decode`. `popMany` calls `decode`
   * while it holds the consumers' lock, so `decode` must not use the buffer.
   */
  decode(bytes: Uint8Array): T;
}

/** Bytes, unchanged. */
export const BYTES: Codec<Uint8Array> = {
  name: 'bytes',
  encode: (value) => {
    if (isUint8Array(value)) return value;
    throw new BufferRefusal(TypeError, `a value must be a Uint8Array, received ${show(value)}`);
  },
  decode: (bytes) => bytes,
};

/** All values that JSON can represent. */
export const JSON_CODEC: Codec<unknown> = {
  name: 'json',
  encode: (value) => {
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined)
      throw new BufferRefusal(TypeError, `the value cannot be represented in JSON, received ${show(value)}`);
    return encodeText(text);
  },
  decode: (bytes) => JSON.parse(decodeText(bytes)) as unknown,
};

/** Names that a user's codec cannot have. */
const RESERVED = ['int32', 'float64', BYTES.name, JSON_CODEC.name];

/** Whether `name` belongs to a codec of this package. */
export function isReserved(name: unknown): boolean {
  return (RESERVED as readonly unknown[]).includes(name);
}

export function isOurs(codec: Codec<unknown>): boolean {
  return codec === BYTES || codec === JSON_CODEC;
}

/** Checks a codec. Throws `TypeError`. */
export function checkCodec(codec: unknown): asserts codec is Codec<unknown> {
  checkObject(codec);
  const { name, encode, decode } = codec as Partial<Codec<unknown>>;
  if (typeof name === 'string' && RESERVED.includes(name))
    throw new TypeError(`The codec's name must not be that of a built-in codec: received ${show(name)}`);
  if (typeof name === 'string' && name !== '' && typeof encode === 'function' && typeof decode === 'function') return;
  throw new TypeError(`A codec must have a name, encode and decode: received ${show(codec)}`);
}
