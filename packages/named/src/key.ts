// Names and keys: strings, compared by their UTF-16 code units, so that two strings are the same name only if they are
// equal.

import { encodeText, NAME_BYTES, show } from '@sluice/core/internal';

/** The most UTF-16 code units of a name or a key. */
export const MOST_UNITS = 4096;

/** A text of that many units fits into a block's name, whatever they are: a unit takes at most three bytes of UTF-8. */
const ALWAYS_FITS = NAME_BYTES / 3;

const HALVES = /\p{Surrogate}/gu;

/**
 * Returns `value` if it is a string of at most `MOST_UNITS` code units. `what`: for example 'The key'. Throws
 * `TypeError` or `RangeError`.
 */
export function checkKey(what: string, value: unknown): string {
  if (typeof value !== 'string') throw new TypeError(`${what} must be a string: received ${show(value)}`);
  if (value.length <= MOST_UNITS) return value;
  throw new RangeError(
    `${what} may have at most ${MOST_UNITS} UTF-16 code units: received ${value.length} (${show(value.slice(0, 20))}...)`,
  );
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * FNV-1a over the code units, as a signed integer (Fowler, Noll, Vo). Keys are compared in full: two with one hash
 * differ.
 */
export function hashOf(key: string): number {
  let hash = FNV_OFFSET;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), FNV_PRIME);
  return hash | 0;
}

/**
 * The name of a key's lock, for reports and messages: that of its owner and the key, cut to what a block's name can
 * hold. U+FFFD stands for each half of a surrogate pair, which a block's name cannot have.
 */
export function labelOf(owner: string, key: string): string {
  const text = owner === '' ? key : `${owner}: ${key}`;
  // No longer text is looked at than can be kept: two units for each byte.
  return fitted(text.slice(0, 2 * NAME_BYTES).replace(HALVES, '\ufffd'));
}

function fitted(text: string): string {
  if (text.length <= ALWAYS_FITS || encodeText(text).length <= NAME_BYTES) return text;
  const kept = Array.from(text).slice(0, NAME_BYTES);
  while (encodeText(kept.join('')).length > NAME_BYTES - 3) kept.pop();
  return `${kept.join('')}…`;
}
