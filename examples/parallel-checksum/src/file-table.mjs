// The paths and results of all files, packed into one Region: no thread copies the list, and no result is posted. Only the thread
// that took a file writes its result, so the results need no guard.
//
//   int32 count · int32 end of each path · int32 state of each file · 32 bytes of digest of each file · path bytes
//
// Paths are bytes, as in the file system: not every file name is UTF-8.
import { Region } from '@sluice/core';
import { getSystemErrorName } from 'node:util';

const DIGEST_BYTES = 32;
const PENDING = 0;
const HASHED = 1;

/** @param {number} count */
const headWords = (count) => 1 + 2 * count;

/** @param {number} count */
const pathsStart = (count) => 4 * headWords(count) + DIGEST_BYTES * count;

export class FileTable {
  #words;
  #bytes;

  /** @param {Region} region */
  constructor(region) {
    this.handle = region.handle;
    this.#words = region.int32;
    this.#bytes = region.bytes;
    this.length = this.#words[0] ?? 0;
  }

  /** @param {Buffer[]} paths */
  static bytesFor(paths) {
    return paths.reduce((sum, path) => sum + path.length, pathsStart(paths.length));
  }

  /**
   * @param {Buffer[]} paths
   * @param {import('@sluice/core').Arena} arena
   */
  static create(paths, arena) {
    const region = Region.create(FileTable.bytesFor(paths), { arena, name: 'file table' });
    const { int32, bytes } = region;
    int32[0] = paths.length;
    let end = pathsStart(paths.length);
    for (const [index, path] of paths.entries()) {
      bytes.set(path, end);
      end += path.length;
      int32[1 + index] = end;
    }
    return new FileTable(region);
  }

  /** @param {import('@sluice/core').RegionHandle} handle */
  static from(handle) {
    return new FileTable(Region.from(handle));
  }

  /** @param {number} index */
  path(index) {
    const start = index === 0 ? pathsStart(this.length) : this.#words[index];
    return Buffer.from(this.#bytes.subarray(start, this.#words[1 + index]));
  }

  /**
   * @param {number} index
   * @param {import('./hash-file.mjs').Outcome} outcome
   */
  record(index, outcome) {
    if (outcome.failed) {
      this.#words[this.#stateAt(index)] = outcome.errno;
    } else {
      this.#bytes.set(outcome.digest, this.#digestAt(index));
      this.#words[this.#stateAt(index)] = HASHED;
    }
  }

  /**
   * The digest in hexadecimal, or `undefined` for a file that was not hashed.
   * @param {number} index
   */
  digest(index) {
    if (this.#words[this.#stateAt(index)] !== HASHED) return undefined;
    const start = this.#digestAt(index);
    return Buffer.from(this.#bytes.subarray(start, start + DIGEST_BYTES)).toString('hex');
  }

  /**
   * Why the file could not be read, such as `EACCES`, or `undefined`.
   * @param {number} index
   */
  failure(index) {
    const state = this.#words[this.#stateAt(index)] ?? PENDING;
    return state < 0 ? getSystemErrorName(state) : undefined;
  }

  /** @param {number} index */
  #stateAt(index) {
    return 1 + this.length + index;
  }

  /** @param {number} index */
  #digestAt(index) {
    return 4 * headWords(this.length) + DIGEST_BYTES * index;
  }
}
