// Statistics of real workers, on the built packages.

import { Arena, Semaphore } from '@sluice/core';
import { formatStatistics, mergeStatistics, type StatisticsReport } from '@sluice/inspect';
import { Mutex } from '@sluice/mutex';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import type { CountsData } from './jobs/counts.mjs';

const JOB = new URL('./jobs/counts.mjs', import.meta.url);
const WORKERS = 4;
const ROUNDS = 500;

test('each lock of each worker is counted once, each wait has its time, and the places are those of the workers', async () => {
  const arena = Arena.create({ maxPages: 16 });
  const lock = Mutex.create({ arena, name: 'accounts' });
  const start = Semaphore.create(0, { arena, name: 'start' });
  const workerData: CountsData = { lock: lock.handle, start: start.handle, rounds: ROUNDS };
  const workers = Array.from({ length: WORKERS }, () => new Worker(JOB, { workerData, execArgv: [] }));
  const posted = workers.map((worker) => once(worker, 'message'));
  await Promise.all(workers.map((worker) => once(worker, 'online')));
  // The workers find the lock taken, and wait.
  lock.lock();
  start.release(WORKERS);
  while (lock.inspect().waiters.length < WORKERS) await new Promise((resolve) => setImmediate(resolve));
  lock.unlock();
  const reports = (await Promise.all(posted)).map(([report]) => report as StatisticsReport);
  const all = mergeStatistics(...reports);
  const accounts = all.primitives.find(({ name }) => name === 'accounts');
  expect(accounts?.acquisitions).toBe(WORKERS * ROUNDS);
  expect(accounts?.holds.count).toBe(WORKERS * ROUNDS);
  expect(accounts?.contentions).toBeGreaterThanOrEqual(WORKERS);
  expect(accounts?.waits.count).toBe(accounts?.contentions);
  expect(accounts?.waits.total).toBeGreaterThan(0);
  for (const places of [accounts?.waitPlaces, accounts?.holdPlaces]) {
    expect(places?.map(({ stack: [place] }) => place?.within)).toEqual(['locksIt']);
    expect(places?.[0]?.stack[0]?.file).toMatch(/counts\.mjs$/);
  }
  expect(formatStatistics(all)).toMatch(/held from locksIt \(counts\.mjs:\d+\)/);
  await Promise.all(workers.map((worker) => worker.terminate()));
});
