// A worker makes the arena's memory grow, and the main thread uses what lies there.

import type { RegionHandle } from 'sluice';
import { equal, type MainTools, type WorkerTools } from '../tools.ts';

export const jobs = {
  make({ sluice, arena }: WorkerTools): RegionHandle[] {
    return Array.from({ length: 4 }, (_, n) => {
      const region = sluice.Region.create(2 ** 18, { arena });
      region.int32.fill(n + 1);
      return region.handle;
    });
  },
};

export async function main({ sluice, arena, start }: MainTools): Promise<void> {
  const before = sluice.Semaphore.create(1, { arena });
  const handles = (await start('make').done) as RegionHandle[];
  for (const [n, handle] of handles.entries())
    equal(
      sluice.Region.from(handle).int32.every((value) => value === n + 1),
      true,
      `region ${n}`,
    );
  await before.runAsync(() => undefined);
  equal(before.available, 1, 'a semaphore from before');
}
