import { readdir } from 'node:fs/promises';

/**
 * @typedef {object} Listing
 * @property {Buffer[]} paths of regular files, relative to the directory, sorted by their bytes
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
  const listing = { paths: [], links: 0, others: 0, unreadable: [] };
  /** @type {Buffer} */
  const top = Buffer.alloc(0);
  const pending = [top];
  for (let directory = pending.pop(); directory !== undefined && !signal.aborted; directory = pending.pop()) {
    try {
      const entries = await readdir(joinPath(root, directory), { encoding: 'buffer', withFileTypes: true });
      for (const entry of entries) {
        const path = joinPath(directory, entry.name);
        if (entry.isFile()) listing.paths.push(path);
        else if (entry.isDirectory()) pending.push(path);
        else if (entry.isSymbolicLink()) listing.links += 1;
        else listing.others += 1;
      }
    } catch (error) {
      if (directory === top) throw error;
      listing.unreadable.push({ path: directory, why: codeOf(error) });
    }
  }
  listing.paths.sort((a, b) => a.compare(b));
  return listing;
}

/** @param {unknown} error */
export function codeOf(error) {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  throw error;
}
