// Tasks of about the same length. The largest files come first, so that no thread is left with a long one at the end.

const BATCH_BYTES = 1 << 20;
const BATCH_FILES = 64;

/**
 * @param {import('./list-files.mjs').Listed[]} files
 * @returns {number[][]} the indices of the files of each batch
 */
export function batchesOf(files) {
  const largestFirst = [...files.keys()].sort((a, b) => sizeAt(files, b) - sizeAt(files, a));
  /** @type {number[][]} */
  const batches = [];
  let batch = [];
  let bytes = 0;
  for (const index of largestFirst) {
    batch.push(index);
    bytes += sizeAt(files, index);
    if (bytes < BATCH_BYTES && batch.length < BATCH_FILES) continue;
    batches.push(batch);
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

/**
 * @param {import('./list-files.mjs').Listed[]} files
 * @param {number} index
 */
function sizeAt(files, index) {
  return files[index]?.size ?? 0;
}
