// The paths of all files in shared memory, in the order in which the workers pack them. A task is then two numbers.

/** @typedef {{ paths: SharedArrayBuffer, ends: SharedArrayBuffer, order: SharedArrayBuffer }} SharedList */

/**
 * @param {import('./list-files.mjs').Listed[]} files
 * @param {number[]} order the indices of the files
 * @returns {SharedList}
 */
export function shareList(files, order) {
  const ends = sharedWords(order.length);
  let end = 0;
  for (const [at, index] of order.entries()) ends[at] = end += files[index]?.path.length ?? 0;
  const paths = new Uint8Array(new SharedArrayBuffer(end));
  for (const [at, index] of order.entries()) paths.set(files[index]?.path ?? [], ends[at - 1] ?? 0);
  const indices = sharedWords(order.length);
  indices.set(order);
  return { paths: paths.buffer, ends: ends.buffer, order: indices.buffer };
}

/** @param {number} length */
function sharedWords(length) {
  return new Uint32Array(new SharedArrayBuffer(length * Uint32Array.BYTES_PER_ELEMENT));
}

export class WorkList {
  #paths;
  #ends;
  #order;

  /** @param {SharedList} list */
  constructor({ paths, ends, order }) {
    this.#paths = new Uint8Array(paths);
    this.#ends = new Uint32Array(ends);
    this.#order = new Uint32Array(order);
  }

  /**
   * @param {number} at
   * @returns {{ index: number, path: Buffer }}
   */
  file(at) {
    const path = this.#paths.subarray(this.#ends[at - 1] ?? 0, this.#ends[at]);
    return { index: this.#order[at] ?? 0, path: Buffer.from(path) };
  }
}
