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
  const padded = new Uint8Array(NAME_BYTES);
  padded.set(label);
  const view = new DataView(padded.buffer);
  for (let at = 0; at < NAME_BYTES; at += 4) words.put32(address + BLOCK_NAME + 4 + at, view.getInt32(at, true));
  words.put32(address + BLOCK_NAME, label.length);
}

/** Returns the name from `create`, or '' if there was none. */
export function readName(words: Words, address: number): string {
  const view = new DataView(new ArrayBuffer(NAME_BYTES));
  for (let at = 0; at < NAME_BYTES; at += 4) view.setInt32(at, words.get32(address + BLOCK_NAME + 4 + at), true);
  return decodeText(new Uint8Array(view.buffer, 0, Math.min(words.get32(address + BLOCK_NAME) >>> 0, NAME_BYTES)));
}
