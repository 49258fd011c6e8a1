// The two kinds of passes over the list: all threads together, and one thread alone.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { FileTable } from './file-table.mjs';
import { arenaFor, createJob } from './job.mjs';
import { takePart } from './take-part.mjs';

const PROGRESS_MS = 100;

/** @typedef {Awaited<ReturnType<typeof hashTogether>>} Together */

/**
 * @typedef {object} PassOptions
 * @property {AbortSignal} signal ends the pass early
 * @property {(files: number) => void} onProgress called repeatedly with the number of files done
 */

/**
 * @param {Buffer[]} paths
 * @param {{ workers: number, limit: number } & PassOptions} options
 */
export async function hashTogether(paths, { workers, limit, signal, onProgress }) {
  const start = performance.now();
  const job = createJob(paths, limit, workers + 1);
  const { slots, guard, tally, files, handles } = job;
  const read = () => guard.runAsync(() => tally.read());

  // A thread that waits for a permit, or asks for one later, gets a ClosedError. Open files are finished first.
  const stop = () => slots.close();
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();

  const timer = setInterval(() => void read().then((seen) => onProgress(seen.files + seen.skipped)), PROGRESS_MS);
  const crew = Array.from({ length: workers }, (_, agent) => startWorker('./worker.mjs', { agent, handles }));
  try {
    await Promise.all([...crew.map((worker) => once(worker, 'exit')), takePart(job, workers)]);
  } finally {
    stop();
    clearInterval(timer);
    signal.removeEventListener('abort', stop);
    await Promise.all(crew.map((worker) => worker.terminate()));
  }
  const seconds = (performance.now() - start) / 1000;
  return { files, tally: await read(), seconds };
}

/**
 * @param {Buffer[]} paths
 * @param {PassOptions} options
 */
export async function hashAlone(paths, { signal, onProgress }) {
  const start = performance.now();
  const files = FileTable.create(paths, arenaFor(paths));
  const worker = startWorker('./one-thread.mjs', { handle: files.handle });
  const stop = () => void worker.terminate();
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  worker.on('message', onProgress);
  await once(worker, 'exit');
  signal.removeEventListener('abort', stop);
  return { files, seconds: (performance.now() - start) / 1000 };
}

/**
 * @param {string} file
 * @param {unknown} workerData
 */
function startWorker(file, workerData) {
  return new Worker(new URL(file, import.meta.url), { workerData });
}
