// The task that the workers of the pool run.
import { BoundedBuffer } from '@sluice/bounded-buffer';
import { threadId } from 'node:worker_threads';
import { packFile } from './pack-file.mjs';

/** @typedef {{ index: number, path: Uint8Array }[]} Batch */
/** @typedef {{ index: number, thread: number } & (import('./pack-file.mjs').Packed | import('./pack-file.mjs').Skipped)} Result */
/** @typedef {import('@sluice/bounded-buffer').BoundedBufferHandle<Result[]>} Results */

// Small files come in groups: a value in the buffer costs about as much as packing a file of some kilobytes.
const GROUP_FILES = 16;

/**
 * Packs the files of a batch one after another, and pushes the results in groups. If the buffer is full, the push waits for the reader.
 * @param {{ batch: Batch, results: Results, out: string | undefined }} task
 * @param {{ readonly aborted: boolean }} context
 */
export function packBatch({ batch, results, out }, context) {
  const buffer = BoundedBuffer.from(results);
  const stopIfAborted = () => {
    if (context.aborted) throw new Error('aborted');
  };
  for (let at = 0; at < batch.length; at += GROUP_FILES) {
    const group = batch.slice(at, at + GROUP_FILES).map(({ index, path }) => {
      stopIfAborted();
      return { index, thread: threadId, ...packFile(Buffer.from(path), out, stopIfAborted) };
    });
    buffer.push(group);
  }
}
