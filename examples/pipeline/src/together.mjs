// The pipeline: a reader, parsers, and the main thread, which adds up their tallies and never blocks.
import { Worker } from 'node:worker_threads';
import { createJob } from './job.mjs';
import { Sum } from './tally.mjs';

/** @typedef {Awaited<ReturnType<typeof tallyTogether>>} Together */
/** @typedef {{ log: import('./look-through.mjs').Log, blockBytes: number, signal: AbortSignal,
 *   onProgress: (bytes: number) => void }} PassOptions */

/** @param {PassOptions & { parsers: number, buffer: number }} options */
export async function tallyTogether({ log, blockBytes, parsers, buffer, signal, onProgress }) {
  const start = performance.now();
  const { arena, blocks, tallies, handles } = createJob(blockBytes, buffer);
  const sum = new Sum();
  const byParser = Array.from({ length: parsers }, () => 0);
  let waiting = 0;

  // The reader gets a ClosedError. The parsers take the blocks that have been read by then.
  const stop = () => void blocks.closeAsync();
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();

  const collect = async () => {
    for await (const { parser, tally } of tallies) {
      sum.add(tally);
      byParser[parser] = (byParser[parser] ?? 0) + 1;
      waiting += blocks.length;
      onProgress(sum.read);
    }
  };
  const reader = startWorker('./reader.mjs', { handles, log, blockBytes });
  const crew = [reader, ...byParser.map((_, parser) => startWorker('./parser.mjs', { handles, parser }))];
  for (const worker of crew) arena.watch(worker);
  try {
    // No thread is left to push a tally, so the loop above ends.
    const ends = Promise.all(crew.map(endOf)).finally(() => tallies.close());
    await Promise.all([collect(), ends]);
  } finally {
    signal.removeEventListener('abort', stop);
    await Promise.all(crew.map((worker) => worker.terminate()));
  }
  const count = byParser.reduce((all, blocksOfOne) => all + blocksOfOne, 0);
  const seconds = (performance.now() - start) / 1000;
  const stopped = signal.aborted && sum.read < log.bytes;
  return { tally: sum.tally(), stopped, byParser, waiting: waiting / Math.max(1, count), seconds };
}

/**
 * @param {string} file
 * @param {unknown} workerData
 */
function startWorker(file, workerData) {
  return new Worker(new URL(file, import.meta.url), { workerData });
}

/** @param {Worker} worker */
function endOf(worker) {
  return new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject));
}
