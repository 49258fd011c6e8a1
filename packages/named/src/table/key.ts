// Names and keys: strings, compared by their UTF-16 code units. Two strings are the same name only if they are equal.

import { NAME_BYTES } from '@sluice/core/format';
import { encodeText, show } from '@sluice/core/calls';

/** The maximum number of UTF-16 code units of a name or a key. */
export const MAX_UNITS = 4096;

/** A text of at most this many units always fits into a block's name: a unit takes at most three bytes of UTF-8. */
const ALWAYS_FITS = NAME_BYTES / 3;

const HALVES = /\p{Surrogate}/gu;

/**
 * Returns `value` if it is a string of at most `MAX_UNITS` code units. `what` names it in errors, such as 'The key'.
 * Throws `TypeError` or `RangeError`.
 */
export function checkKey(what: string, value: unknown): string {
  if (typeof value !== 'string') throw new TypeError(`${what} must be a string: received ${show(value)}`);
  if (value.length <= MAX_UNITS) return value;
  throw new RangeError(
    `${what} may have at most ${MAX_UNITS} UTF-16 code units: received ${value.length} (${show(value.slice(0, 20))}...)`,
  );
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Returns the FNV-1a hash of the code units as a signed integer (Fowler, Noll, Vo). Keys are compared in full, so two
 * keys with the same hash still differ. `seed` changes the first state. Each table has a seed of its own, so an
 * attacker cannot choose keys that all fall into one list.
 */
export function hashOf(key: string, seed = 0): number {
  let hash = FNV_OFFSET ^ seed;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), FNV_PRIME);
  return hash | 0;
}

/**
 * Returns the name of a key's lock, for reports and messages: the name of its owner and the key, cut to the length of a
 * block's name. U+FFFD replaces each half of a surrogate pair, which a block's name cannot contain.
 */
export function labelOf(owner: string, key: string): string {
  const text = owner === '' ? key : `${owner}: ${key}`;
  // Reads only as much text as can be kept: two units for each byte.
  return fitted(text.slice(0, 2 * NAME_BYTES).replace(HALVES, '\ufffd'));
}

function fitted(text: string): string {
  if (text.length <= ALWAYS_FITS || encodeText(text).length <= NAME_BYTES) return text;
  const kept = Array.from(text).slice(0, NAME_BYTES);
  while (encodeText(kept.join('')).length > NAME_BYTES - 3) kept.pop();
  return `${kept.join('')}…`;
}

/** Returns the name in quotes for messages, cut to 60 code units. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
}

/** Returns the title of a name for messages. */
export function titleOfName(name: string): string {
  return `The name ${quoted(name)}`;
}
