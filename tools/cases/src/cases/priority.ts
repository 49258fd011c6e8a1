// Permits by priority, in one line of workers that block and the main thread, which awaits.

import type { FamilyHandle, RegionHandle } from 'sluice';
import { equal, sleep, type MainTools, type WorkerTools } from '../tools.ts';

/** In the order in which they come. */
const PRIORITIES = [0, 3, 7];
const OWN = 5;
/** The main thread has the highest priority but one. */
const SERVED = [7, 5, 3, 0];

interface Data {
  readonly permits: FamilyHandle;
  /** How many were served, and their priorities. */
  readonly log: RegionHandle;
  readonly priority: number;
}

function note(int32: Int32Array, priority: number): void {
  const [served = 0] = int32;
  int32[served + 1] = priority;
  int32[0] = served + 1;
}

export const jobs = {
  wait({ sluice }: WorkerTools, { permits, log, priority }: Data): void {
    const semaphore = sluice.PrioritySemaphore.from(permits, { priority });
    semaphore.run(() => note(sluice.Region.from(log).int32, priority));
  },
};

export async function main({ sluice, arena, start }: MainTools): Promise<void> {
  const semaphore = sluice.PrioritySemaphore.create(1, { arena });
  const log = sluice.Region.create(4 * (SERVED.length + 1), { arena });
  const inLine = async (count: number): Promise<void> => {
    while (semaphore.waiting < count) await sleep(1);
  };
  await semaphore.acquireAsync();
  const workers: Promise<unknown>[] = [];
  for (const priority of PRIORITIES) {
    workers.push(start('wait', { permits: semaphore.handle, log: log.handle, priority } satisfies Data).done);
    await inLine(workers.length);
  }
  const own = semaphore.at(OWN).runAsync(() => note(log.int32, OWN), 1, { timeout: 30_000 });
  await inLine(SERVED.length);
  semaphore.release();
  await Promise.all([own, ...workers]);
  equal(
    [...log.int32.subarray(0, SERVED.length + 1)],
    [SERVED.length, ...SERVED],
    'the priorities in the order in which they were served',
  );
  equal([semaphore.available, semaphore.waiting], [1, 0], 'what is left');
}
