// SHA-256 of one file: blocking for workers, asynchronous for the main thread. A file that cannot be read is a result, too.
import { createHash } from 'node:crypto';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';

/** @typedef {{ failed: false, digest: Buffer, size: number } | { failed: true, errno: number }} Outcome */

// Does not follow a symbolic link that has replaced the file since it was listed. Windows has no such flag.
const FLAGS = constants.O_RDONLY | (/** @type {{ O_NOFOLLOW?: number }} */ (constants).O_NOFOLLOW ?? 0);
const CHUNK_BYTES = 128 * 1024;
const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);

/**
 * @param {Buffer} path
 * @returns {Outcome}
 */
export function hashFileSync(path) {
  try {
    const file = openSync(path, FLAGS);
    try {
      const hash = createHash('sha256');
      let size = 0;
      for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
        hash.update(chunk.subarray(0, read));
        size += read;
      }
      return { failed: false, digest: hash.digest(), size };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return failure(error);
  }
}

/**
 * The same, without blocking the event loop. One call at a time: the calls share the chunk.
 * @param {Buffer} path
 * @returns {Promise<Outcome>}
 */
export async function hashFile(path) {
  try {
    const file = await open(path, FLAGS);
    try {
      const hash = createHash('sha256');
      let size = 0;
      for (let { bytesRead } = await file.read(chunk); bytesRead > 0; { bytesRead } = await file.read(chunk)) {
        hash.update(chunk.subarray(0, bytesRead));
        size += bytesRead;
      }
      return { failed: false, digest: hash.digest(), size };
    } finally {
      await file.close();
    }
  } catch (error) {
    return failure(error);
  }
}

/**
 * @param {unknown} error
 * @returns {Outcome}
 */
function failure(error) {
  if (error instanceof Error && 'errno' in error && typeof error.errno === 'number') {
    return { failed: true, errno: error.errno };
  }
  throw error; // Not caused by the file.
}
