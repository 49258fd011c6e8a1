// One of the workers that contend for the lock.
import { workerData } from 'node:worker_threads';
import { openJob, STOP, TALLY } from './job.mjs';

/** @type {{ handles: Parameters<typeof openJob>[0], index: number }} */
const { handles, index } = workerData;
const { lock, shared, counts, ready, start } = openJob(handles);

ready.release();
start.acquire();
while (shared[STOP] === 0) {
  lock.lock();
  // Not an atomic operation: only the lock keeps counts from being lost.
  shared[TALLY] = (shared[TALLY] ?? 0) + 1;
  lock.unlock();
  counts[index] = (counts[index] ?? 0) + 1;
}
