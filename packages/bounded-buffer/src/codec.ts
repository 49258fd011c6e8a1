// How values become bytes, and bytes values.

import { checkObject, decodeText, encodeText, show } from '@sluice/core/internal';
import { RefusedValue } from './refused-value.ts';

/** Turns values into bytes and back. Every agent that attaches brings its own, with the same name. */
export interface Codec<T> {
  /** Says which it is: a buffer made with one cannot be attached to with another. */
  readonly name: string;
  encode(value: T): Uint8Array;
  /**
   * `bytes` are the caller's own, and shared with nobody. What it throws comes out of the call that takes the value. `popMany` calls it while
   * it keeps others from taking: it must not use the buffer.
   */
  decode(bytes: Uint8Array): T;
}

/** Kept as they are. */
export const BYTES: Codec<Uint8Array> = {
  name: 'bytes',
  encode: (value) => {
    if (value instanceof Uint8Array) return value;
    throw new RefusedValue(TypeError, `a value must be a Uint8Array, received ${show(value)}`);
  },
  decode: (bytes) => bytes,
};

/** Whatever JSON can say. */
export const JSON_CODEC: Codec<unknown> = {
  name: 'json',
  encode: (value) => {
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) throw new RefusedValue(TypeError, `JSON has no form for this value, received ${show(value)}`);
    return typeof TextEncoder === 'undefined' ? encodeText(text) : new TextEncoder().encode(text);
  },
  decode: (bytes) => JSON.parse(typeof TextDecoder === 'undefined' ? decodeText(bytes) : new TextDecoder().decode(bytes)) as unknown,
};

/** Names that cannot be a user's. */
const RESERVED = ['int32', 'float64', BYTES.name, JSON_CODEC.name];

/** Whether that is the name of a codec of this package. */
export function isReserved(name: unknown): boolean {
  return (RESERVED as readonly unknown[]).includes(name);
}

export function isOurs(codec: Codec<unknown>): boolean {
  return codec.name === BYTES.name || codec.name === JSON_CODEC.name;
}

/** Throws `TypeError`. */
export function checkCodec(codec: unknown): asserts codec is Codec<unknown> {
  checkObject(codec);
  const { name, encode, decode } = codec as Partial<Codec<unknown>>;
  if (typeof name === 'string' && RESERVED.includes(name)) throw new TypeError(`The codec's name must not be one of ours: received ${show(name)}`);
  if (typeof name === 'string' && name !== '' && typeof encode === 'function' && typeof decode === 'function') return;
  throw new TypeError(`A codec must have a name, encode and decode: received ${show(codec)}`);
}
