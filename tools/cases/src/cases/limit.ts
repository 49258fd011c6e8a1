// At most two functions at a time, over all threads.

import type { LimitHandle, RegionHandle } from 'sluice';
import { check, equal, sleep, type MainTools, type Tools, type WorkerTools } from '../tools.ts';

const CALLS = 30;
const MOST = 2;

interface Data {
  readonly limit: LimitHandle;
  readonly counts: RegionHandle;
}

async function call({ sluice }: Pick<Tools, 'sluice'>, { limit: handle, counts }: Data): Promise<number> {
  const limit = sluice.createLimit.from(handle);
  const { int32 } = sluice.Region.from(counts);
  const results = await limit.map(
    Array.from({ length: CALLS }, (_, n) => n),
    async (n) => {
      const inside = Atomics.add(int32, 0, 1) + 1;
      check(inside <= MOST, `${inside} are inside`);
      await sleep(n % 3);
      Atomics.sub(int32, 0, 1);
      Atomics.add(int32, 1, 1);
      return n;
    },
  );
  return results.reduce((sum, n) => sum + n, 0);
}

export const jobs = { call: (tools: WorkerTools, data: Data): Promise<number> => call(tools, data) };

export async function main({ sluice, arena, start }: MainTools): Promise<void> {
  const limit = sluice.createLimit(MOST, { arena });
  const counts = sluice.Region.create(8, { arena });
  const data: Data = { limit: limit.handle, counts: counts.handle };
  const sums = await Promise.all([start('call', data).done, start('call', data).done, call({ sluice }, data)]);
  equal(
    sums,
    sums.map(() => (CALLS * (CALLS - 1)) / 2),
    'the results',
  );
  equal([...counts.int32.subarray(0, 2)], [0, 3 * CALLS], 'the counts');
}
