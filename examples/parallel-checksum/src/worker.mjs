// One of the workers: blocks for a permit, takes the next file and hashes it, until none are left.
import { workerData } from 'node:worker_threads';
import { hashFileSync } from './hash-file.mjs';
import { isClosed, openJob } from './job.mjs';
import { NONE } from './tally.mjs';

/** @type {{ agent: number, handles: import('./job.mjs').JobHandles }} */
const { agent, handles } = workerData;
const { slots, guard, tally, files } = openJob(handles);

function hashNext() {
  const index = guard.run(() => tally.begin());
  if (index === NONE) return false;
  const outcome = hashFileSync(files.path(index));
  files.record(index, outcome);
  guard.run(() => tally.end(agent, outcome.failed ? undefined : outcome.size));
  return true;
}

try {
  while (slots.run(hashNext));
} catch (error) {
  if (!isClosed(error)) throw error;
}
