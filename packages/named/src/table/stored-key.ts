// The keys of a table in memory: their UTF-16 code units, two in a word.

import type { Words } from '@sluice/core/internal';

type KeyWords = Pick<Words, 'get32' | 'put32'>;

/** Returns the size of a key in memory, in bytes. */
export function bytesOf(key: string): number {
  return 4 * Math.ceil(key.length / 2);
}

/** Returns two code units as one word. A unit of 0 follows the end. */
function pairAt(key: string, at: number): number {
  return key.charCodeAt(at) | ((at + 1 < key.length ? key.charCodeAt(at + 1) : 0) << 16);
}

export function writeKey(words: KeyWords, address: number, key: string): void {
  for (let at = 0; at < key.length; at += 2) words.put32(address + 2 * at, pairAt(key, at));
}

/** Whether the key at that address is `key`. Both have the same length. */
export function isKeyAt(words: KeyWords, address: number, key: string): boolean {
  for (let at = 0; at < key.length; at += 2) if (words.get32(address + 2 * at) !== pairAt(key, at)) return false;
  return true;
}

/** Reads a key. `length` is in UTF-16 code units. */
export function readKey(words: KeyWords, address: number, length: number): string {
  let key = '';
  for (let at = 0; at < length; at += 2) {
    const pair = words.get32(address + 2 * at);
    key += String.fromCharCode(pair & 0xffff);
    if (at + 1 < length) key += String.fromCharCode(pair >>> 16);
  }
  return key;
}
