// Names of primitives, in the block's first line.

import { checkWellFormed, show } from '../api/check.ts';
import { BLOCK_NAME, NAME_BYTES } from '../kernel/layout.ts';
import type { Words } from '../kernel/words.ts';
import { decodeText, encodeText } from '../platform/utf8.ts';

/** Encodes a name as stored in a block. Throws `TypeError` or `RangeError`. */
export function encodeName(name: unknown): Uint8Array {
  if (name === undefined) return new Uint8Array();
  if (typeof name !== 'string') throw new TypeError(`The name must be a string: received ${show(name)}`);
  const bytes = encodeText(name);
  // A well-formed ASCII name has as many bytes as code units.
  if (bytes.length !== name.length) checkWellFormed('The name', name);
  if (bytes.length <= NAME_BYTES) return bytes;
  throw new RangeError(`The name may have ${NAME_BYTES} bytes in UTF-8: received ${bytes.length} (${show(name)})`);
}

export function writeName(words: Words, address: number, label: Uint8Array): void {
  writeText(words, address + BLOCK_NAME, label);
}

/** Returns the name from `create`, or '' if there was none. */
export function readName(words: Words, address: number): string {
  return readText(words, address + BLOCK_NAME);
}

/** Writes up to 60 bytes of UTF-8, and before them their number. */
export function writeText(words: Words, at: number, text: Uint8Array): void {
  const padded = new Uint8Array(NAME_BYTES);
  padded.set(text);
  const view = new DataView(padded.buffer);
  for (let byte = 0; byte < NAME_BYTES; byte += 4) words.put32(at + 4 + byte, view.getInt32(byte, true));
  words.put32(at, text.length);
}

/** Returns what `writeText` wrote. */
export function readText(words: Words, at: number): string {
  const view = new DataView(new ArrayBuffer(NAME_BYTES));
  for (let byte = 0; byte < NAME_BYTES; byte += 4) view.setInt32(byte, words.get32(at + 4 + byte), true);
  return decodeText(new Uint8Array(view.buffer, 0, Math.min(words.get32(at) >>> 0, NAME_BYTES)));
}
