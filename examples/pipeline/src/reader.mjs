// Reads the log, and waits when the parsers do not keep up.
import { workerData } from 'node:worker_threads';
import { isClosed, openJob } from './job.mjs';
import { readBlocks } from './read-blocks.mjs';

/** @type {{ handles: import('./job.mjs').JobHandles, log: import('./look-through.mjs').Log, blockBytes: number }} */
const { handles, log, blockBytes } = workerData;
const { blocks } = openJob(handles);

try {
  for (const block of readBlocks(log.path, log.bytes, blockBytes)) blocks.push(block);
} catch (error) {
  if (!isClosed(error)) throw error;
} finally {
  blocks.close(); // The parsers take the remaining blocks, and their loops end.
}
