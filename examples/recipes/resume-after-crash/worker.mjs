import { BoundedBuffer, CountdownLatch, Region } from 'sluice';
import process from 'node:process';
import { workerData } from 'node:worker_threads';

const { slot } = workerData;
const open = CountdownLatch.from(workerData.open);
const begun = Region.from(workerData.begun).int32;
const tries = Region.from(workerData.tries).int32;
const done = Region.from(workerData.done).int32;

const jobs = BoundedBuffer.from(workerData.jobs, {
  // Runs right before this worker takes a job. However the worker dies, the main thread knows what it had begun.
  onTake: (job) => {
    begun[slot] = Number(job);
  },
});

/** @param {number} job */
function work(job) {
  if (job === 70 && tries[job] === 1) process.exit(1); // crashes in the middle of it, once
  if (job === 140) process.exit(1); // crashes each time
}

for (const value of jobs) {
  const job = Number(value);
  if (done[job] === 1) continue; // a worker died while it took this job, and the job was begun elsewhere
  tries[job] = (tries[job] ?? 0) + 1;
  work(job);
  done[job] = 1;
  begun[slot] = 0;
  open.done();
}
