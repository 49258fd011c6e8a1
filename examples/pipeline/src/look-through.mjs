// Checks a log before it is parsed. Afterwards the file is in the system's cache, for both kinds of passes alike.
import { open } from 'node:fs/promises';
import { UsageError } from './options.mjs';

const READ_BYTES = 2 ** 20;
const NEWLINE = 10;

/** @typedef {{ path: string, bytes: number, lines: number }} Log */

/**
 * Counts the lines, independently of the parser. Returns `undefined` if interrupted. Throws `UsageError`.
 * @param {string} path
 * @param {number} mostBytes the maximum length of a line
 * @param {AbortSignal} signal
 * @returns {Promise<Log | undefined>}
 */
export async function lookThrough(path, mostBytes, signal) {
  const file = await openLog(path);
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(READ_BYTES);
    let [lines, lineBegin, at] = [0, 0, 0];
    /** @param {number} end */
    const count = (end) => {
      lines += 1;
      if (end - lineBegin > mostBytes) throw new UsageError(tooLong(path, lines, end - lineBegin));
      lineBegin = end;
    };
    while (at < size && !signal.aborted) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(READ_BYTES, size - at), at);
      if (bytesRead === 0) break;
      const read = buffer.subarray(0, bytesRead);
      for (let end = read.indexOf(NEWLINE); end >= 0; end = read.indexOf(NEWLINE, end + 1)) count(at + end + 1);
      at += bytesRead;
    }
    if (lineBegin < at) count(at);
    return signal.aborted ? undefined : { path, bytes: at, lines };
  } finally {
    await file.close();
  }
}

/** @param {string} path */
async function openLog(path) {
  try {
    const file = await open(path);
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new UsageError(code === 'ENOENT' ? `${path} does not exist` : `${path} cannot be read: ${code}`);
  }
  throw new UsageError(`${path} is not a file`);
}

/**
 * @param {string} path
 * @param {number} line
 * @param {number} bytes
 */
function tooLong(path, line, bytes) {
  return `${path} has a line of ${bytes} bytes, line ${line}: more than a block, see --block`;
}
