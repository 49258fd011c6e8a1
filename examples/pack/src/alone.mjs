// The same work on one thread, to check the result and to compare the time.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { startClock } from './clock.mjs';
import { Results } from './results.mjs';

/**
 * @param {import('./list-files.mjs').Listed[]} files with whole paths
 * @param {Pick<import('./together.mjs').PassOptions, 'signal' | 'onProgress'>} options
 */
export async function packAlone(files, { signal, onProgress }) {
  const clock = startClock();
  const results = new Results(files);
  const paths = files.map(({ path }) => path);
  // Not terminate(): Node.js ends the whole process if a thread is terminated while it creates a compressor.
  const ended = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(new URL('./one-thread.mjs', import.meta.url), { workerData: { paths, ended } });
  const stop = () => Atomics.store(ended, 0, 1);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  worker.on('message', (/** @type {{ bytes: number, results?: import('./tasks.mjs').Result[] }} */ message) => {
    onProgress(message.bytes);
    for (const result of message.results ?? []) results.add(result);
  });
  await once(worker, 'exit');
  signal.removeEventListener('abort', stop);
  return { results, ...clock() };
}
