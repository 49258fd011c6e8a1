// The results of the threads for each file.
import { createHash } from 'node:crypto';

/** @typedef {import('./tasks.mjs').Result} Result */

export class Results {
  /** Packed so far. */
  files = 0;
  bytes = 0;
  bytesPacked = 0;
  /** Results that came a second time, because the batch of a killed worker ran again. */
  repeated = 0;
  /** Of these, results that differ from the first. */
  contradictions = 0;
  #listed;
  /** @type {(Result | undefined)[]} */
  #results;

  /** @param {import('./list-files.mjs').Listed[]} listed */
  constructor(listed) {
    this.#listed = listed;
    this.#results = listed.map(() => undefined);
  }

  get bytesListed() {
    return this.#listed.reduce((sum, { size }) => sum + size, 0);
  }

  /** Files without a result. */
  get missing() {
    return this.#results.filter((result) => result === undefined).length;
  }

  /** @param {Result} result */
  add(result) {
    const first = this.#results[result.index];
    if (first !== undefined) {
      this.repeated += 1;
      if (said(first) !== said(result)) this.contradictions += 1;
      return;
    }
    this.#results[result.index] = result;
    if ('why' in result) return;
    this.files += 1;
    this.bytes += result.size;
    this.bytesPacked += result.packed;
  }

  /**
   * The digest of a file, or why there is none.
   * @param {number} index
   */
  said(index) {
    return said(this.#results[index]);
  }

  /**
   * Why the file was skipped, or `undefined`.
   * @param {number} index
   */
  failure(index) {
    const result = this.#results[index];
    return result !== undefined && 'why' in result ? result.why : undefined;
  }

  /** The number of files by thread, in the order in which the threads began. */
  byThread() {
    /** @type {Map<number, number>} */
    const counts = new Map();
    for (const result of this.#results) {
      if (result !== undefined && !('why' in result)) counts.set(result.thread, (counts.get(result.thread) ?? 0) + 1);
    }
    return [...counts].sort(([a], [b]) => a - b);
  }

  /**
   * SHA-256 over the sorted list of digests and paths, in the format of `sha256sum --zero`.
   * @param {Buffer[]} paths below the root
   * @param {Set<number>} leftOut
   */
  digestOfDigests(paths, leftOut = new Set()) {
    const hash = createHash('sha256');
    for (const [index, path] of paths.entries()) {
      const result = leftOut.has(index) ? undefined : this.#results[index];
      if (result !== undefined && 'digest' in result) hash.update(`${result.digest}  `).update(path).update('\0');
    }
    return hash.digest('hex');
  }
}

/** @param {Result | undefined} result */
function said(result) {
  if (result === undefined) return 'no result';
  return 'why' in result ? result.why : `${result.digest} ${result.packedDigest}`;
}
