import { closeSync, openSync, readSync } from 'node:fs';

const NEWLINE = 10;

/**
 * The file in blocks of whole lines. A block is valid until the next one is requested.
 * @param {string} path
 * @param {number} bytes how much of the file to read: a log in use may have grown
 * @param {number} blockBytes the maximum size of a block; no line is longer
 */
export function* readBlocks(path, bytes, blockBytes) {
  const buffer = Buffer.alloc(blockBytes);
  const file = openSync(path, 'r');
  try {
    let [at, kept] = [0, 0];
    while (at < bytes) {
      const read = readSync(file, buffer, kept, Math.min(blockBytes - kept, bytes - at), at);
      if (read === 0) throw new Error(`${path} was cut while it was read`);
      at += read;
      const filled = kept + read;
      const end = at === bytes ? filled : buffer.lastIndexOf(NEWLINE, filled - 1) + 1;
      if (end > 0) yield buffer.subarray(0, end);
      buffer.copyWithin(0, end, filled);
      kept = filled - end;
    }
  } finally {
    closeSync(file);
  }
}
