// Checks whether a pass lost or invented a file, and whether all passes over the same files gave the same result.
import { lstat } from 'node:fs/promises';

/** @typedef {import('./results.mjs').Results} Results */

// File systems stamp a change with a clock that may tick as rarely as every 10 ms.
const CLOCK_TICK_MS = 20;

/** @param {Results} results */
export function isComplete(results) {
  return results.missing === 0 && results.contradictions === 0;
}

/**
 * @param {Buffer[]} wholePaths
 * @param {Buffer[]} paths below the root
 * @param {Results[]} passes
 * @param {number} startedAt
 */
export async function compare(wholePaths, paths, passes, startedAt) {
  /** @type {number[]} */
  const changed = [];
  /** @type {number[]} */
  const different = [];
  for (const [index, path] of wholePaths.entries()) {
    if (new Set(passes.map((results) => results.said(index))).size === 1) continue;
    // Another program changed or removed the file during the run, which is no fault of this program. Otherwise there is
    // a fault.
    const excused = (await changedAt(path)) >= startedAt - CLOCK_TICK_MS;
    (excused ? changed : different).push(index);
  }
  const leftOut = new Set(changed);
  const digests = passes.map((results) => results.digestOfDigests(paths, leftOut));
  const [digest = ''] = digests;
  const same = different.length === 0 && digests.every((other) => other === digest);
  return { changed, different, digest, same };
}

/** @param {Buffer} path */
async function changedAt(path) {
  try {
    return (await lstat(path)).ctimeMs;
  } catch {
    return Infinity;
  }
}
