import { CapacitorLock, SemaphoreCapacitor } from '@sluice/capacitor';
import { TicketSemaphore, TtsLock } from '@sluice/classics';
import { Arena, Region } from '@sluice/core';
import { Session, soakSize } from '@sluice/harness';
import { once as emitted } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { ENDS, PASSES, type OverData } from './jobs/over-killed.mjs';

const JOB = new URL('./jobs/over-killed.mjs', import.meta.url);
const WORKERS = 5;
const LIMIT = 2;
const DEATHS = soakSize(12, 600);

const turn = (): Promise<void> => new Promise((later) => setImmediate(later));

test('after workers are killed inside and at a capacitor over a semaphore, whole platoons still pass', async () => {
  const session = new Session('a capacitor over a semaphore, and killed workers');
  const arena = Arena.create({ maxPages: 16 });
  const semaphore = TicketSemaphore.create(LIMIT, { arena });
  const gate = SemaphoreCapacitor.create(semaphore);
  const inner = TtsLock.create({ arena });
  const lock = CapacitorLock.create(inner, { gate });
  const region = Region.create(4 * (PASSES + WORKERS), { arena });
  const words = region.int32;
  const failed: unknown[] = [];
  const begin = (index: number): { worker: Worker; exit: Promise<unknown> } => {
    const workerData: OverData = {
      gate: gate.handle,
      semaphore: semaphore.handle,
      lock: lock.handle,
      inner: inner.handle,
      words: region.handle,
      index,
      limit: LIMIT,
    };
    const worker = new Worker(JOB, { workerData });
    arena.watch(worker);
    worker.on('error', (failure) => failed.push(failure));
    return { worker, exit: emitted(worker, 'exit') };
  };
  const passes = (index: number): number => Atomics.load(words, PASSES + index);
  /** Waits until each worker has passed: none hangs at a gate that a dead worker left closed. */
  const pass = async (): Promise<void> => {
    const before = Array.from({ length: WORKERS }, (_, index) => passes(index));
    while (before.some((count, index) => passes(index) === count) && failed.length === 0) await turn();
  };
  const group = Array.from({ length: WORKERS }, (_, index) => begin(index));
  for (let death = 0; death < DEATHS; death++) {
    await pass();
    const index = session.random.below(WORKERS);
    await group[index]?.worker.terminate();
    await group[index]?.exit;
    arena.reclaimDead();
    group[index] = begin(index);
  }
  await pass();
  Atomics.store(words, ENDS, 1);
  await Promise.all(group.map(({ exit }) => exit));
  arena.reclaimDead();
  expect(failed).toEqual([]);
  const { departuresLeft, open, inside, waiters } = gate.inspect();
  expect([open, inside, waiters]).toEqual([departuresLeft, [], []]);
  session.done(
    Array.from({ length: WORKERS }, (_, index) => passes(index)).reduce((sum, count) => sum + count),
    `${DEATHS} deaths`,
  );
  for (const primitive of [lock, inner, semaphore, region]) primitive.free();
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
});
