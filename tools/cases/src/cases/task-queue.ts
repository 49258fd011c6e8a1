// At most two functions at a time, over all threads, in a queue that is paused until all threads have added tasks.

import type { RegionHandle, TaskQueueHandle } from 'sluice';
import { check, equal, sleep, type MainTools, type Tools, type WorkerTools } from '../tools.ts';

const CALLS = 30;
const MOST = 2;

interface Data {
  readonly queue: TaskQueueHandle;
  readonly counts: RegionHandle;
}

async function call({ sluice }: Pick<Tools, 'sluice'>, { queue: handle, counts }: Data): Promise<number> {
  const queue = sluice.TaskQueue.from(handle);
  const { int32 } = sluice.Region.from(counts);
  const results = await queue.addAll(
    Array.from({ length: CALLS }, (_, n) => async () => {
      const inside = Atomics.add(int32, 0, 1) + 1;
      check(inside <= MOST, `${inside} are inside`);
      await sleep(n % 3);
      Atomics.sub(int32, 0, 1);
      return n;
    }),
  );
  return results.reduce((sum, n) => sum + n, 0);
}

export const jobs = { call: (tools: WorkerTools, data: Data): Promise<number> => call(tools, data) };

export async function main({ sluice, arena, start }: MainTools): Promise<void> {
  const queue = sluice.TaskQueue.create({ concurrency: MOST, autoStart: false, arena });
  const counts = sluice.Region.create(8, { arena });
  const data: Data = { queue: queue.handle, counts: counts.handle };
  const results = [start('call', data).done, start('call', data).done, call({ sluice }, data)];
  while (queue.size < 3 * CALLS) await sleep(1);
  equal(queue.pending, 0, 'the functions that run while it is paused');
  queue.start();
  const sums = await Promise.all(results);
  equal(
    sums,
    sums.map(() => (CALLS * (CALLS - 1)) / 2),
    'the results',
  );
  await queue.onIdle();
  equal([queue.size, queue.pending, Atomics.load(counts.int32, 0)], [0, 0, 0], 'tasks in the end');
}
