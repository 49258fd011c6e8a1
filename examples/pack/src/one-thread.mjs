// Packs all files on one thread, in the order of the list, without any synchronization.
import { exit } from 'node:process';
import { parentPort, workerData } from 'node:worker_threads';
import { packFile } from './pack-file.mjs';

const PROGRESS_MS = 100;

/** @type {{ paths: Uint8Array[], ended: Int32Array }} */
const { paths, ended } = workerData;
const exitIfEnded = () => {
  if (Atomics.load(ended, 0) !== 0) exit();
};
/** @type {import('./tasks.mjs').Result[]} */
const results = [];
let bytes = 0;
let last = performance.now();

for (const [index, path] of paths.entries()) {
  exitIfEnded();
  const outcome = packFile(Buffer.from(path), undefined, exitIfEnded);
  results.push({ index, thread: 0, ...outcome });
  if ('size' in outcome) bytes += outcome.size;
  if (performance.now() - last < PROGRESS_MS) continue;
  last = performance.now();
  parentPort?.postMessage({ bytes });
}
parentPort?.postMessage({ bytes, results });
