// The task that the workers of the pool run.
import { BoundedBuffer } from '@sluice/bounded-buffer';
import { threadId, workerData } from 'node:worker_threads';
import { packFile } from './pack-file.mjs';
import { waitIfVictim } from './victim.mjs';
import { WorkList } from './work-list.mjs';

/**
 * @typedef {{ index: number, thread: number } & (import('./pack-file.mjs').Packed | import('./pack-file.mjs').Skipped)}
 *   Result
 */
/** @typedef {import('@sluice/bounded-buffer').BoundedBufferHandle<Result[]>} Results */
/** @typedef {{ list: import('./work-list.mjs').SharedList, results: Results, victim: Int32Array, out: string | undefined }} Start */

// Results come in groups: a value in the buffer wakes the main thread, which costs about as much as packing a file of
// some kilobytes.
const GROUP_BYTES = 1 << 20;
const GROUP_FILES = 64;

/** @type {Start} */
const { list, results, victim, out } = workerData;
const files = new WorkList(list);
const buffer = BoundedBuffer.from(results);

/**
 * Packs the files of a batch one after another, and pushes the results in groups. If the buffer is full, the push waits
 * for the reader.
 * @param {import('./batches.mjs').Batch} batch
 * @param {{ readonly aborted: boolean }} context
 */
export function packBatch({ from, to }, context) {
  const betweenBlocks = () => {
    if (context.aborted) throw new Error('aborted');
    waitIfVictim(victim);
  };
  /** @type {Result[]} */
  let group = [];
  let bytes = 0;
  for (let at = from; at < to; at++) {
    betweenBlocks();
    const { index, path } = files.file(at);
    const outcome = packFile(path, out, betweenBlocks);
    group.push({ index, thread: threadId, ...outcome });
    bytes += 'size' in outcome ? outcome.size : 0;
    if (bytes < GROUP_BYTES && group.length < GROUP_FILES && at + 1 < to) continue;
    buffer.push(group);
    group = [];
    bytes = 0;
  }
}
