import { CountdownLatch } from '@sluice/barrier';
import { Arena, Region } from '@sluice/core';
import { soakSize, Session } from '@sluice/harness';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

const JOB = new URL('./jobs/claims.mjs', import.meta.url);
const WORKERS = 3;
const PARTS = 4;
const ROUNDS = soakSize(12, 600);

test('the claims of killed workers are counted down exactly once', async () => {
  const session = new Session('claims of killed workers');
  const { random } = session;
  const arena = Arena.create({ maxPages: 16 });
  const latch = CountdownLatch.create(0, { arena, name: 'parts' });
  let deaths = 0;
  for (let round = 0; round < ROUNDS; round++) {
    // One part belongs to the main thread: the round cannot end before the main thread has read the count.
    latch.add(1 + WORKERS * PARTS);
    const marks = Region.create(4 * WORKERS, { arena });
    const waits = [latch.waitAsync(), latch.waitAsync({ timeout: 60_000 })];
    const workers = Array.from({ length: WORKERS }, (_, index) => {
      const end = random.chance(50) ? ('exit' as const) : ('killed' as const);
      // A worker that runs until it is killed leaves one part to count down. Otherwise it would count down a part that
      // it adds itself.
      const paid = random.below(PARTS);
      const worker = new Worker(JOB, {
        workerData: { latch: latch.handle, marks: marks.handle, index, parts: PARTS, paid, end },
      });
      arena.watch(worker);
      return { worker, exit: once(worker, 'exit'), end, index };
    });
    await Promise.all(
      workers.map(async ({ worker, exit, end, index }) => {
        while (Atomics.load(marks.int32, index) === 0) await new Promise((later) => setTimeout(later, 1));
        if (end === 'killed') {
          await new Promise((later) => setTimeout(later, random.below(4)));
          await worker.terminate();
        }
        await exit;
        deaths += 1;
      }),
    );
    arena.reclaimDead();
    // Parts that a killed worker had added but not yet claimed stay: at most one per worker.
    const killed = workers.filter(({ end }) => end === 'killed').length;
    expect(latch.count).toBeGreaterThanOrEqual(1);
    expect(latch.count).toBeLessThanOrEqual(1 + killed);
    latch.done(latch.count);
    await Promise.all(waits);
    expect(latch.inspect()).toMatchObject({ count: 0, claimedBy: [], waiters: [] });
    marks.free();
  }
  session.done(deaths, `${ROUNDS} rounds`);
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
});
