// Tasks of about the same length. The largest files come first, so that no thread is left with a long one at the end.

const BATCH_BYTES = 4 << 20;
const BATCH_FILES = 256;

/** @typedef {{ from: number, to: number }} Batch a part of the order, `to` excluded */

/**
 * @param {import('./list-files.mjs').Listed[]} files
 * @returns {{ order: number[], batches: Batch[] }} `order`: the indices of the files
 */
export function batchesOf(files) {
  const order = [...files.keys()].sort((a, b) => sizeAt(files, b) - sizeAt(files, a));
  /** @type {Batch[]} */
  const batches = [];
  let from = 0;
  let bytes = 0;
  for (const [at, index] of order.entries()) {
    const to = at + 1;
    bytes += sizeAt(files, index);
    if (bytes < BATCH_BYTES && to - from < BATCH_FILES && to < order.length) continue;
    batches.push({ from, to });
    from = to;
    bytes = 0;
  }
  return { order, batches };
}

/**
 * @param {import('./list-files.mjs').Listed[]} files
 * @param {number} index
 */
function sizeAt(files, index) {
  return files[index]?.size ?? 0;
}
