import { BoundedBuffer } from 'sluice';
import { closeSync, openSync, writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

/** @typedef {{ at: number, source: string, message: string, dropped?: number }} Entry */

/** @type {import('sluice').BoundedBuffer<Entry>} */
const lines = BoundedBuffer.from(workerData.lines);
const file = openSync(workerData.path, 'a');

for (const { at, source, message, dropped = 0 } of lines) {
  const gap = dropped > 0 ? ` (${dropped} dropped)` : '';
  writeSync(file, `${new Date(at).toISOString()} ${source} ${message}${gap}\n`);
}
closeSync(file); // the buffer was closed, and every entry is written
