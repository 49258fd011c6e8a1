// Which files lie below a directory, and how large they are.
import { lstat, readdir } from 'node:fs/promises';

/** @typedef {{ path: Buffer, size: number }} Listed */

/**
 * @typedef {object} Listing
 * @property {Listed[]} files regular files, by their path relative to the directory, sorted by its bytes
 * @property {number} links symbolic links, which are not followed
 * @property {number} others pipes, sockets, devices
 * @property {{ path: Buffer, why: string }[]} unreadable directories
 */

const SLASH = Buffer.from('/');

/**
 * @param {Buffer} directory
 * @param {Buffer} name
 */
export function joinPath(directory, name) {
  return directory.length === 0 ? name : Buffer.concat([directory, SLASH, name]);
}

/**
 * Lists every file below a directory. Throws if the directory itself cannot be read.
 * @param {Buffer} root
 * @param {AbortSignal} signal
 */
export async function listFiles(root, signal) {
  /** @type {Listing} */
  const listing = { files: [], links: 0, others: 0, unreadable: [] };
  /** @type {Buffer} */
  const top = Buffer.alloc(0);
  const pending = [top];
  for (let directory = pending.pop(); directory !== undefined && !signal.aborted; directory = pending.pop()) {
    try {
      const entries = await readdir(joinPath(root, directory), { encoding: 'buffer', withFileTypes: true });
      const paths = [];
      for (const entry of entries) {
        const path = joinPath(directory, entry.name);
        if (entry.isFile()) paths.push(path);
        else if (entry.isDirectory()) pending.push(path);
        else if (entry.isSymbolicLink()) listing.links += 1;
        else listing.others += 1;
      }
      listing.files.push(
        ...(await Promise.all(paths.map(async (path) => ({ path, size: await sizeOf(joinPath(root, path)) })))),
      );
    } catch (error) {
      if (directory === top) throw error;
      listing.unreadable.push({ path: directory, why: codeOf(error) });
    }
  }
  listing.files.sort((a, b) => a.path.compare(b.path));
  return listing;
}

/**
 * A file that cannot be looked at counts as empty. The thread that packs it will report it.
 * @param {Buffer} path
 */
async function sizeOf(path) {
  try {
    return (await lstat(path)).size;
  } catch {
    return 0;
  }
}

/** @param {unknown} error */
export function codeOf(error) {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  throw error;
}
