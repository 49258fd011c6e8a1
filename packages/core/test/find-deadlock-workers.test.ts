// Tests a deadlock of real workers and its end.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test, vi } from 'vitest';
import { Arena, type SemaphoreHandle } from '../src/index.ts';
import { SemaphoreLock } from './jobs/semaphore-lock.mjs';

/** On a loaded machine a second is not enough. */
const PATIENCE = { timeout: 120_000 };

async function startOwner(owned: SemaphoreHandle, wanted: SemaphoreHandle): Promise<{ worker: Worker; agent: number }> {
  const job = new URL('./children/lock-worker.mjs', import.meta.url);
  const worker = new Worker(job, { workerData: { owned, wanted }, execArgv: [] });
  const [agent] = (await once(worker, 'message')) as [number];
  return { worker, agent };
}

test('findDeadlock() reports two workers that block on each other; when one is terminated, the other inherits its lock', async () => {
  const arena = Arena.create({ maxPages: 8 });
  const [fork, spoon] = [SemaphoreLock.create({ arena, name: 'fork' }), SemaphoreLock.create({ arena, name: 'spoon' })];
  const [ann, bob] = [await startOwner(fork.handle, spoon.handle), await startOwner(spoon.handle, fork.handle)];
  try {
    const before = Date.now();
    expect(arena.findDeadlock()).toBeUndefined();
    ann.worker.postMessage('go');
    await vi.waitFor(() => expect(spoon.waiting).toBe(1), PATIENCE);
    expect(arena.findDeadlock()).toBeUndefined();
    bob.worker.postMessage('go');
    const circle = await vi.waitUntil(() => arena.findDeadlock(), PATIENCE);
    expect([...circle].sort((a, b) => a.agent - b.agent)).toMatchObject([
      { agent: ann.agent, waitsFor: { name: 'spoon', address: spoon.handle.address }, ownedBy: bob.agent },
      { agent: bob.agent, waitsFor: { name: 'fork', address: fork.handle.address }, ownedBy: ann.agent },
    ]);
    for (const { since } of circle) expect(since >= before && since <= Date.now()).toBe(true);

    const onReclaim = vi.fn();
    arena.watch(ann.worker, { onReclaim });
    const outcome = once(bob.worker, 'message');
    await ann.worker.terminate();
    expect(await outcome).toEqual(['inherited']);
    expect(onReclaim).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({
        agent: ann.agent,
        locksOrphaned: [{ name: 'fork', address: fork.handle.address }],
        ticketsWithdrawn: 1,
      }),
    );
    expect(arena.findDeadlock()).toBeUndefined();
    expect([fork.tryLock(), spoon.tryLock()]).toEqual([true, true]);
  } finally {
    await Promise.all([ann, bob].map(({ worker }) => worker.terminate()));
  }
});
