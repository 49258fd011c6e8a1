// Tests workers at a resizable semaphore whose size changes and whose waiters are cancelled, with and without kills.

import { Arena, Region } from '@sluice/core';
import { scale, Session, soakSize, startWorker } from '@sluice/harness';
import { ResizableSemaphore } from '@sluice/semaphores';
import { expect, test } from 'vitest';
import { CALLS, CANCELLED, INSIDE, LARGEST, MOST, SEEN, STOP, type ResizableData } from './jobs/resizable.mjs';

const JOBS = new URL('./jobs/resizable.mjs', import.meta.url);
const WORKERS = 4;
const KILL_MS = 120;
/** A worker that has not ended by then is stuck. Until then it may have to start on a busy machine. */
const STUCK_MS = 120_000;

test.each([false, true])('no permit is lost in a storm at a resizable semaphore, kills: %s', async (kills) => {
  const session = new Session('resizable');
  const arena = Arena.create({ maxPages: 512, policy: { buckets: 4 } });
  const words = Region.create(64, { arena }).int32;
  const sem = ResizableSemaphore.create(3, { arena, name: 'storm' });
  const live = new Set<ReturnType<typeof startWorker>>();
  const failures: unknown[] = [];
  let reclaimed = 0;
  let killed = 0;
  const start = (index: number): void => {
    const data: ResizableData = { handle: sem.handle, words };
    const worker = startWorker({ module: JOBS.href, job: 'visit', data, seed: session.seed, index });
    live.add(worker);
    arena.watch(worker, { onReclaim: () => (reclaimed += 1) });
    worker.on('error', (failure) => failures.push(failure));
    worker.on(
      'message',
      ({ kind, text }: { readonly kind: string; readonly text?: string }) => kind === 'failed' && failures.push(text),
    );
    worker.on('exit', () => live.delete(worker));
  };
  for (let index = 0; index < WORKERS; index++) start(index);
  // Workers take long to start. How long does not matter here.
  while (Atomics.load(words, CALLS) === 0 && failures.length === 0)
    await new Promise((resolve) => setTimeout(resolve, 10));
  const end = performance.now() + soakSize(500, 11_000);
  while (performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, KILL_MS));
    if (!kills) continue;
    await session.random.pick([...live]).terminate();
    killed += 1;
    start(WORKERS + killed);
  }
  Atomics.store(words, STOP, 1);
  const last = performance.now() + scale(STUCK_MS);
  while (live.size > 0 && performance.now() < last) await new Promise((resolve) => setTimeout(resolve, 10));
  const report = live.size === 0 ? undefined : sem.inspect();
  for (const worker of live) await worker.terminate();
  while (sem.inspect().holders.length > 0 && performance.now() < last)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(failures).toEqual([]);
  expect(report, 'a worker is stuck').toBeUndefined();
  const { size, available, debt, waiters, holders } = sem.inspect();
  expect({ available, debt, waiters, holders }).toEqual({ available: size, debt: 0, waiters: [], holders: [] });
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  // A worker killed as a holder is not subtracted from the count.
  if (!kills) expect([words[INSIDE], (words[MOST] ?? 0) <= LARGEST]).toEqual([0, true]);
  expect(words[CALLS]).toBeGreaterThan(0);
  session.done(
    words[CALLS] ?? 0,
    `${killed} killed, ${reclaimed} recovered, ${words[CANCELLED]} waits cancelled, ${words[SEEN]} saw a free permit`,
  );
});
