// The task that the workers of the pool run.
import { BoundedBuffer } from '@sluice/bounded-buffer';
import { threadId } from 'node:worker_threads';
import { packFile } from './pack-file.mjs';

/** @typedef {{ index: number, path: Uint8Array }[]} Batch */
/** @typedef {{ index: number, thread: number } & (import('./pack-file.mjs').Packed | import('./pack-file.mjs').Skipped)} Result */
/** @typedef {import('@sluice/bounded-buffer').BoundedBufferHandle<Result>} Results */

/**
 * Packs the files of a batch one after another, and pushes a result for each. If the buffer is full, the push waits for the reader.
 * @param {{ batch: Batch, results: Results, out: string | undefined }} task
 * @param {{ readonly aborted: boolean }} context
 */
export function packBatch({ batch, results, out }, context) {
  const buffer = BoundedBuffer.from(results);
  const stopIfAborted = () => {
    if (context.aborted) throw new Error('aborted');
  };
  for (const { index, path } of batch) {
    stopIfAborted();
    const outcome = packFile(Buffer.from(path), out, stopIfAborted);
    buffer.push({ index, thread: threadId, ...outcome });
  }
}
