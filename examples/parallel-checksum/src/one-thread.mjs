// The pass that the others are checked against and compared with: one thread, one file after another, no semaphores.
import { parentPort, workerData } from 'node:worker_threads';
import { FileTable } from './file-table.mjs';
import { hashFileSync } from './hash-file.mjs';

const REPORT_MS = 100;

/** @type {{ handle: import('@sluice/core').RegionHandle }} */
const { handle } = workerData;
const files = FileTable.from(handle);

let reported = performance.now();
for (let index = 0; index < files.length; index++) {
  files.record(index, hashFileSync(files.path(index)));
  if (performance.now() - reported < REPORT_MS) continue;
  reported = performance.now();
  parentPort?.postMessage(index + 1);
}
