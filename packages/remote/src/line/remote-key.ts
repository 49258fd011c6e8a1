// The key of a keyed primitive on the server: the names of its lines.

import { checkWellFormed, show } from '@sluice/core/calls';

/** The limit of the keyed primitives of `@sluice/named`. */
export const MAX_KEY_UNITS = 4096;

/** Returns the beginning of the names. With the length, different pairs of a name and a key never have the same text. */
export function prefixOf(name: string): string {
  return `${name.length}:${name}:`;
}

/** Returns the key. Throws `TypeError` if it is not a string, and `RangeError` if it is too long. */
export function checkKey(key: unknown): string {
  if (typeof key !== 'string') throw new TypeError(`The key must be a string: received ${show(key)}`);
  if (key.length > MAX_KEY_UNITS)
    throw new RangeError(
      `The key may have at most ${MAX_KEY_UNITS} UTF-16 code units: received ${key.length} (${show(key.slice(0, 20))}...)`,
    );
  return checkWellFormed('The key', key);
}

/** Returns the title of a key for messages. */
export function keyTitle(title: string, key: string): string {
  return `${title}, key ${JSON.stringify(key.length > 60 ? `${key.slice(0, 60)}…` : key)}`;
}
