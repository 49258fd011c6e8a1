// Whether a pass kept its promises, and whether the passes over the same files came to the same result.
import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { joinPath } from './list-files.mjs';

/** @typedef {import('./file-table.mjs').FileTable} FileTable */

// File systems stamp a change with a clock that may tick as seldom as every 10 ms.
const CLOCK_TICK_MS = 20;

/**
 * The semaphore limited the open files, and its guard let no count get lost.
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
    // Somebody changed or removed it while we ran, which is no fault of ours; or else something is wrong.
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
