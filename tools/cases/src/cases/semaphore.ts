// The core's semaphore: workers block and the main thread awaits, in one line, around a plain number.

import type { RegionHandle, SemaphoreHandle } from 'sluice';
import { addSlowly, equal, failure, type MainTools, type WorkerTools } from '../tools.ts';

const ROUNDS = 200;
const AWAITED = 30;

interface Data {
  readonly permits: SemaphoreHandle;
  readonly total: RegionHandle;
}

export const jobs = {
  count({ sluice }: WorkerTools, { permits, total }: Data): number {
    const semaphore = sluice.Semaphore.from(permits);
    const numbers = sluice.Region.from(total).int32;
    for (let round = 0; round < ROUNDS; round++) {
      semaphore.acquire();
      addSlowly(numbers, 0, round);
      semaphore.release();
    }
    return semaphore.arena.agentId;
  },
};

export async function main({ sluice, arena, start, platform }: MainTools): Promise<void> {
  const semaphore = sluice.Semaphore.create(1, { arena, max: 1, name: 'one' });
  const region = sluice.Region.create(4, { arena });
  const data: Data = { permits: semaphore.handle, total: region.handle };
  const workers = [start('count', data), start('count', data), start('count', data)];
  const numbers = region.int32;
  for (let round = 0; round < AWAITED; round++) {
    await semaphore.runAsync(() => (numbers[0] = (numbers[0] ?? 0) + 1));
  }
  const agents = await Promise.all(workers.map(({ done }) => done));
  equal(new Set(agents).size, 3, 'three agents');
  equal(numbers[0], 3 * ROUNDS + AWAITED, 'the number');
  equal(semaphore.available, 1, 'free permits');

  if (platform.mayBlock) {
    equal([semaphore.tryAcquire(1, 1000), semaphore.tryAcquire(1, 5)], [true, false], 'blocking');
    return;
  }
  // A page may not block, and says so, even where a permit is free. It may try.
  const refused = async (call: () => unknown): Promise<void> => {
    const { message } = await failure(call, 'SLUICE_MISUSE');
    equal(message.includes('may not block'), true, message);
  };
  await refused(() => semaphore.acquire());
  await refused(() => semaphore.hold());
  equal([semaphore.tryAcquire(), semaphore.tryAcquire()], [true, false], 'trying');
  await refused(() => semaphore.tryAcquire(1, 5));
}
