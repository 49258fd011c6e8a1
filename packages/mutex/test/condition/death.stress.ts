import { Condition, Mutex } from '@sluice/mutex';
import { Arena, hasCode, Region, type OwnerDiedError } from '@sluice/core';
import { Session, soakSize } from '@sluice/harness';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { HELD, PASSES, TOKENS, type KilledData } from './jobs/killed.mjs';

const JOB = new URL('./jobs/killed.mjs', import.meta.url);
const WORKERS = 4;
const ROUNDS = soakSize(5, 500);

test.each(['turns', 'fifo'] as const)(
  'no worker at a condition is stranded when others are killed (order %s)',
  async (order) => {
    const session = new Session(`workers killed at a condition, ${order}`);
    const { random } = session;
    const arena = Arena.create({ maxPages: 16 });
    const mutex = Mutex.create({ arena, name: 'lock', order });
    const condition = Condition.create(mutex, { name: 'tokens' });
    let deaths = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const words = Region.create(4 * (HELD + WORKERS), { arena });
      words.int32[TOKENS] = 1;
      const workers = Array.from({ length: WORKERS }, (_, index) => {
        const workerData: KilledData = { mutex: mutex.handle, condition: condition.handle, words: words.handle, index };
        const worker = new Worker(JOB, { workerData });
        arena.watch(worker);
        return { worker, exit: once(worker, 'exit') };
      });
      for (const [index, { worker, exit }] of workers.entries()) {
        await new Promise((later) => setTimeout(later, 10 + random.below(20)));
        await worker.terminate();
        await exit;
        deaths += 1;
        arena.reclaimDead();
        await heal(mutex, condition, words.int32, index);
        const passes = words.int32[PASSES] ?? 0;
        // The other workers make progress: no notification was lost with a dead worker.
        while (index < WORKERS - 1 && Atomics.load(words.int32, PASSES) < passes + 3)
          await new Promise((later) => setTimeout(later, 1));
      }
      // A remaining waiter gets a token, so no dead worker blocks it.
      await mutex.lockAsync();
      await condition.waitForAsync(() => (words.int32[TOKENS] ?? 0) > 0, { timeout: 60_000 });
      mutex.unlock();
      expect([condition.waiting, condition.notifyAll()]).toEqual([0, 0]);
      words.free();
    }
    session.done(deaths, `${ROUNDS} rounds`);
    expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
    condition.free();
    mutex.free();
  },
);

/** Returns the token of the killed worker, if it had one. The worker may have died between two writes. */
async function heal(mutex: Mutex, condition: Condition, words: Int32Array, victim: number): Promise<void> {
  try {
    await mutex.lockAsync();
  } catch (failure) {
    if (!hasCode(failure, 'SLUICE_OWNER_DIED')) throw failure;
    (failure as OwnerDiedError).guard?.markConsistent();
  }
  words[HELD + victim] = 0;
  words[TOKENS] = words.subarray(HELD).includes(1) ? 0 : 1;
  // Notify for the dead worker, which may have returned its token and died before it notified.
  condition.notify();
  mutex.unlock();
}
