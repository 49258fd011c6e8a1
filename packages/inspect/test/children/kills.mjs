// @ts-check
// Kills workers that take and wait for locks, while a watchdog reads their arena as often as it can.
import { Arena, Semaphore } from '@sluice/core';
import { startWatchdog } from '@sluice/inspect/watchdog';
import { Mutex } from '@sluice/mutex';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const KILLS = 30;

async function main() {
  const arena = Arena.create({ maxPages: 16 });
  const lock = Mutex.create({ arena, name: 'lock' });
  const permits = Semaphore.create(1, { arena, name: 'permits' });
  const watchdog = startWatchdog(arena, { after: 1 });
  for (let kill = 0; kill < KILLS; kill++) {
    const workers = [0, 1].map(() => {
      const worker = new Worker(new URL('takes-locks.mjs', import.meta.url), {
        workerData: { lock: lock.handle, permits: permits.handle },
      });
      arena.watch(worker);
      return worker;
    });
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  await watchdog.stop();
  lock.run(() => undefined, { onOwnerDied: (guard) => guard.markConsistent() });
  permits.run(() => console.log('nothing was lost'));
}

void main();
