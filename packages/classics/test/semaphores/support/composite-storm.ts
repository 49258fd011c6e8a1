// A storm of real workers at one semaphore, with kills or without, on the built packages.

import { Arena, Region } from '@sluice/core';
import { scale, Session, soakSize, startWorker } from '@sluice/harness';
import type { LightweightSemaphore, MultilaneSemaphore } from '@sluice/classics';
import type { PrioritySemaphore } from '@sluice/semaphores';
import { expect } from 'vitest';
import { CALLS, INSIDE, MOST, STOP, type CompositeData } from '../jobs/composite.mjs';

const JOBS = new URL('../jobs/composite.mjs', import.meta.url);
const PERMITS = 3;
const WORKERS = 4;
const KILL_MS = 120;
/** A worker that has not ended by then is stuck. Until then it may have to start on a busy machine. */
const STUCK_MS = 120_000;

type Composite = LightweightSemaphore | MultilaneSemaphore | PrioritySemaphore;

/** Checks that no worker is stuck at the end, that nothing is left behind, and that every permit is there. */
export async function storm(
  what: string,
  kind: CompositeData['kind'],
  create: (permits: number, arena: Arena) => Composite,
  kills: boolean,
): Promise<void> {
  const session = new Session(what);
  const arena = Arena.create({ maxPages: 512, policy: { buckets: 4 } });
  const words = Region.create(64, { arena }).int32;
  const sem = create(PERMITS, arena);
  const live = new Set<ReturnType<typeof startWorker>>();
  const failures: unknown[] = [];
  let reclaimed = 0;
  let killed = 0;
  const start = (index: number): void => {
    const data: CompositeData = { kind, handle: sem.handle, words };
    const worker = startWorker({ module: JOBS.href, job: 'visit', data, seed: session.seed, index });
    live.add(worker);
    arena.watch(worker, { onReclaim: () => (reclaimed += 1) });
    worker.on('error', (failure) => failures.push(failure));
    worker.on(
      'message',
      ({ kind: said, text }: { readonly kind: string; readonly text?: string }) =>
        said === 'failed' && failures.push(text),
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
  const stuck = live.size;
  const report = stuck === 0 ? undefined : sem.inspect();
  for (const worker of live) await worker.terminate();
  while (sem.available < PERMITS && stuck === 0 && performance.now() < last)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(failures).toEqual([]);
  expect(report, 'workers are stuck').toBeUndefined();
  expect([sem.available, sem.waiting]).toEqual([PERMITS, 0]);
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  // A worker that was killed inside did not count itself out.
  if (!kills) expect([words[INSIDE], (words[MOST] ?? 0) <= PERMITS]).toEqual([0, true]);
  expect(words[CALLS]).toBeGreaterThan(0);
  session.done(words[CALLS] ?? 0, `${killed} killed, ${reclaimed} recovered`);
}
