// The same as worker.mjs, on a thread that must not block: it awaits the same semaphores.
import { hashFile } from './hash-file.mjs';
import { isClosed } from './job.mjs';
import { NONE } from './tally.mjs';

/**
 * @param {import('./job.mjs').Job} job
 * @param {number} agent
 */
export async function takePart({ slots, guard, tally, files }, agent) {
  const hashNext = async () => {
    const index = await guard.runAsync(() => tally.begin());
    if (index === NONE) return false;
    const outcome = await hashFile(files.path(index));
    files.record(index, outcome);
    await guard.runAsync(() => tally.end(agent, outcome.failed ? undefined : outcome.size));
    return true;
  };

  try {
    while (await slots.runAsync(hashNext));
  } catch (error) {
    if (!isClosed(error)) throw error;
  }
}
