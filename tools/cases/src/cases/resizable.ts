// A semaphore whose size changes while workers use it, and whose waits one thread cancels for all.

import type { RegionHandle, ResizableHandle } from 'sluice';
import { check, equal, failure, rest, sleep, type MainTools, type WorkerTools } from '../tools.ts';

const WORKERS = 3;
const ROUNDS = 150;
const SIZES = [3, 1, 2, 1];
const MOST = 3;
const REASON = 503;

interface Data {
  readonly slots: ResizableHandle;
  /** How many are inside, and how often each was. */
  readonly counts: RegionHandle;
}

const reasonOf = (error: object): unknown => (error as { readonly reason?: unknown }).reason;

export const jobs = {
  use({ sluice }: WorkerTools, { slots: handle, counts }: Data): void {
    const slots = sluice.ResizableSemaphore.from(handle);
    const { int32 } = sluice.Region.from(counts);
    for (let round = 0; round < ROUNDS; round++) {
      slots.acquire();
      const inside = Atomics.add(int32, 0, 1) + 1;
      check(inside <= MOST, `${inside} are inside`);
      if (round % 40 === 1) rest();
      Atomics.sub(int32, 0, 1);
      Atomics.add(int32, 1, 1);
      slots.release();
    }
  },
  async wait({ sluice }: WorkerTools, handle: ResizableHandle): Promise<unknown> {
    const slots = sluice.ResizableSemaphore.from(handle);
    return reasonOf(await failure(() => slots.acquire(), 'SLUICE_CANCELLED'));
  },
};

async function resizes({ sluice, arena, start }: MainTools): Promise<void> {
  const slots = sluice.ResizableSemaphore.create(1, { arena });
  const counts = sluice.Region.create(8, { arena });
  const workers = Array.from({ length: WORKERS }, () =>
    start('use', { slots: slots.handle, counts: counts.handle } satisfies Data),
  );
  for (const size of SIZES) {
    slots.resize(size);
    for (let round = 0; round < 10; round++) await slots.runAsync(() => undefined, 1, { timeout: 30_000 });
  }
  await Promise.all(workers.map(({ done }) => done));
  equal([...counts.int32.subarray(0, 2)], [0, WORKERS * ROUNDS], 'inside, and passes');
  equal([slots.size, slots.debt, slots.available], [1, 0, 1], 'the size, the debt and the free permits');
}

async function cancels({ sluice, arena, start }: MainTools): Promise<void> {
  const slots = sluice.ResizableSemaphore.create(1, { arena });
  const guard = await slots.acquireGuardAsync();
  const { done } = start('wait', slots.handle);
  const own = failure(() => slots.acquireAsync(), 'SLUICE_CANCELLED');
  while (slots.waiting < 2) await sleep(1);
  slots.cancelWaiters(REASON);
  equal([await done, reasonOf(await own)], [REASON, REASON], 'the reason of the cancel');
  const free = slots.waitForUnlockAsync(1, { timeout: 30_000 });
  guard.release();
  await free;
  equal([slots.available, slots.waiting, slots.isLocked], [1, 0, false], 'what is left');
}

export async function main(tools: MainTools): Promise<void> {
  await resizes(tools);
  await cancels(tools);
}
