// Keys: strings and bytes. The server has both as a string: 's' and the string, or 'b' and the bytes in hexadecimal
// digits. So no two keys become the same string.

import { checkWellFormed, isUint8Array, show } from '@sluice/core/calls';

/** A key of a cache: a string, or bytes. */
export type RemoteCacheKey = string | Uint8Array;

/** The limits of the cache of `@sluice/cache`. */
const MAX_UNITS = 4095;
const MAX_BYTES = 4094;

/** Returns the key as the server has it. Throws `TypeError` and `RangeError`. */
export function wordOf(key: unknown): string {
  if (typeof key === 'string') {
    if (key.length > MAX_UNITS)
      throw new RangeError(
        `The key may have at most ${MAX_UNITS} UTF-16 code units: received ${key.length} (${show(key.slice(0, 20))}...)`,
      );
    return `s${checkWellFormed('The key', key)}`;
  }
  if (!isUint8Array(key)) throw new TypeError(`The key must be a string or a Uint8Array: received ${show(key)}`);
  const bytes = new Uint8Array(key);
  if (bytes.length > MAX_BYTES)
    throw new RangeError(`The key may have at most ${MAX_BYTES} bytes: received ${bytes.length}`);
  return `b${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Returns a key for messages. */
export function shownKey(word: string): string {
  return word.startsWith('b') ? `0x${word.slice(1)}` : word.slice(1);
}
