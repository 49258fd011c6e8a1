// Workers that take locks and permits in one order have no deadlock, and no report calls one certain.

import { Arena, Region, Semaphore } from '@sluice/core';
import { Session, soakSize, withWorkers } from '@sluice/harness';
import { findDeadlocks, formatReport } from '@sluice/inspect';
import { Mutex } from '@sluice/mutex';
import { expect, test } from 'vitest';
import { work, type BusyData } from './jobs/busy.mjs';

const jobs = new URL('./jobs/busy.mjs', import.meta.url);
const WORKERS = 4;
const REPORTS = soakSize(300, 100_000);

test.each(['turns', 'fifo'] as const)('no report of busy workers has a certain deadlock (%s)', async (order) => {
  const session = new Session(`reports of busy workers (${order})`);
  const arena = Arena.create({ maxPages: 16 });
  const locks = [0, 1, 2].map((index) => Mutex.create({ arena, name: `lock ${index}`, order }));
  const permits = Semaphore.create(2, { arena, name: 'permits' });
  const stop = Region.create(4, { arena });
  const data: BusyData = { locks: locks.map(({ handle }) => handle), permits: permits.handle, stop: stop.handle };
  let waits = 0;
  const rounds = await withWorkers({ jobs, seed: session.seed, dump: () => formatReport(arena) }, async (group) => {
    group.start<number>(WORKERS, work.name, () => data);
    await group.until('every worker to have joined', () => arena.inspect().agents.length === WORKERS + 1);
    // Reports until some of them have seen waits.
    for (let reports = 0; reports < REPORTS || waits === 0; reports++) {
      expect(findDeadlocks(arena).filter(({ certain }) => certain)).toEqual([]);
      expect(arena.findDeadlock()).toBeUndefined();
      expect(formatReport(arena)).not.toMatch(/^Deadlock/);
      waits += arena.inspect().agents.filter((agent) => agent.waits.length > 0).length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    Atomics.store(stop.int32, 0, 1);
    return group.results<number>();
  });
  session.done(
    rounds.reduce((sum, each) => sum + each),
    `${REPORTS} reports, ${waits} waiting agents in them`,
  );
  for (const count of rounds) expect(count).toBeGreaterThan(0);
  expect(arena.inspect().elements).toMatchObject({ waiting: 0 });
});
