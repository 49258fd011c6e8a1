// Whether a pass kept its promises, and whether all passes over the same files gave the same result.
import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { joinPath } from './list-files.mjs';

/** @typedef {import('./file-table.mjs').FileTable} FileTable */

// File systems stamp a change with a clock that may tick as rarely as every 10 ms.
const CLOCK_TICK_MS = 20;

/**
 * Whether the semaphore limited the open files, and its guard kept counts from being lost.
 * @param {import('./passes.mjs').Together} pass
 * @param {number} limit
 */
export function tallyHolds({ tally, files }, limit) {
  const hashed = [...Array(files.length).keys()].filter((index) => files.digest(index) !== undefined).length;
  const byAgents = tally.filesByAgent.reduce((sum, count) => sum + count, 0);
  return tally.mostOpen <= limit && tally.open === 0 && tally.files === hashed && byAgents === hashed;
}

/**
 * @param {Buffer} root
 * @param {Buffer[]} paths below the root
 * @param {FileTable[]} passes
 * @param {number} startedAt
 */
export async function compare(root, paths, passes, startedAt) {
  /** @type {number[]} */
  const changed = [];
  /** @type {number[]} */
  const different = [];
  for (const index of paths.keys()) {
    if (new Set(passes.map((files) => files.digest(index) ?? files.failure(index))).size === 1) continue;
    // Another program changed or removed the file during the run, which is no fault of this one. Otherwise something is wrong.
    const excused = (await changedAt(joinPath(root, paths[index] ?? root))) >= startedAt - CLOCK_TICK_MS;
    (excused ? changed : different).push(index);
  }
  const leftOut = new Set(changed);
  const digests = passes.map((files) => digestOfDigests(paths, files, leftOut));
  const [digest = ''] = digests;
  const same = different.length === 0 && digests.every((other) => other === digest);
  return { changed, different, digest, same };
}

/**
 * SHA-256 over the sorted list of digests and paths, in the format of `sha256sum --zero`.
 * @param {Buffer[]} paths
 * @param {FileTable} files
 * @param {Set<number>} leftOut
 */
export function digestOfDigests(paths, files, leftOut = new Set()) {
  const hash = createHash('sha256');
  for (const [index, path] of paths.entries()) {
    const digest = leftOut.has(index) ? undefined : files.digest(index);
    if (digest !== undefined) hash.update(`${digest}  `).update(path).update('\0');
  }
  return hash.digest('hex');
}

/** @param {Buffer} path */
async function changedAt(path) {
  try {
    return (await lstat(path)).ctimeMs;
  } catch {
    return Infinity;
  }
}
