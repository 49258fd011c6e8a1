// Keys: strings and bytes. A cache keeps both as strings of UTF-16 code units.
//
// A key of bytes becomes '\0\u0001' and one unit for each byte. A string that begins with '\0' gets one more '\0'. So
// no two keys become the same string.

import { isUint8Array, show } from '@sluice/core/calls';
import { MOST_UNITS } from './layout.ts';

/**
 * A key of a cache: a string, or bytes. Two keys are the same if all their code units, or all their bytes, are equal.
 */
export type CacheKey = string | Uint8Array;

const BYTES = '\0\u0001';
const MOST_BYTES = MOST_UNITS - BYTES.length;

/** Returns the key as a cache keeps it. Throws `TypeError` and `RangeError`. */
export function unitsOf(key: unknown): string {
  if (typeof key === 'string') {
    if (key.length > MOST_UNITS - 1)
      throw new RangeError(
        `The key may have at most ${MOST_UNITS - 1} UTF-16 code units: received ${key.length} (${show(key.slice(0, 20))}...)`,
      );
    return key.startsWith('\0') ? `\0${key}` : key;
  }
  if (!isUint8Array(key)) throw new TypeError(`The key must be a string or a Uint8Array: received ${show(key)}`);
  // A copy, because its length can no longer change, and its iterator is the platform's.
  const bytes = new Uint8Array(key);
  if (bytes.length > MOST_BYTES)
    throw new RangeError(`The key may have at most ${MOST_BYTES} bytes: received ${bytes.length}`);
  return BYTES + String.fromCharCode(...bytes);
}

/** Returns a key as the caller gave it. */
export function keyOf(units: string): CacheKey {
  if (units.startsWith(BYTES)) return Uint8Array.from(units.slice(BYTES.length), (unit) => unit.charCodeAt(0));
  return units.startsWith('\0') ? units.slice(1) : units;
}

/** Returns a key for messages. */
export function shownKey(units: string): string {
  const key = keyOf(units);
  if (typeof key === 'string') return JSON.stringify(key.length > 60 ? `${key.slice(0, 60)}…` : key);
  const hex = Array.from(key.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `0x${hex}${key.length > 16 ? '…' : ''}`;
}
