// One of the parsers: takes the next block from the buffer, until none are left.
import { workerData } from 'node:worker_threads';
import { openJob } from './job.mjs';
import { tallyOf } from './tally.mjs';

/** @type {{ handles: import('./job.mjs').JobHandles, parser: number }} */
const { handles, parser } = workerData;
const { blocks, tallies } = openJob(handles);

for (const { buffer, byteOffset, length } of blocks) {
  tallies.push({ parser, tally: tallyOf(Buffer.from(buffer, byteOffset, length)) });
}
