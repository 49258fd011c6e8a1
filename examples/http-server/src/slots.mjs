// Counts the tasks that a pool accepts at a time, for checks.
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** The time for which each task blocks a worker, unless it is aborted first. */
const MAX_MS = 60_000;

/**
 * Waits until no task is left, fills the pool, and empties it again. A lost slot is missing in the result.
 * @param {import('@sluice/worker-pool').WorkerPool<number, number>} pool
 */
export async function countSlots(pool) {
  const { queued, waiting, running } = pool.stats();
  if (queued + waiting + running > 0) await once(pool, 'drain');
  // Workers still run tasks that were aborted.
  while (pool.stats().stopping > 0) await nextTurn();
  const filled = new AbortController();
  /** @type {Promise<unknown>[]} */
  const tasks = [];
  for (;;) {
    const task = pool.tryRun(MAX_MS, { name: 'block', signal: filled.signal });
    if (task === undefined) break;
    tasks.push(task.catch(() => undefined));
  }
  filled.abort();
  await Promise.all(tasks);
  return tasks.length;
}
