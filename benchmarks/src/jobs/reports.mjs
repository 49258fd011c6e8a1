// @ts-check
// How long a report takes of an arena with thousands of async waits.
import { Arena, Semaphore } from '@sluice/core';
import { findDeadlocks, formatReport } from '@sluice/inspect';
import { Mutex } from '@sluice/mutex';
import { main } from '../lib/jobs.mjs';

/** @typedef {{ waits: number, locks: number, warmUps: number }} ReportsSpecification */
/** @typedef {{ reportMillis: number, deadlocksMillis: number }} ReportsResult */

await main((/** @type {ReportsSpecification} */ { waits, locks, warmUps }) => {
  const arena = Arena.create({ maxPages: 1024 });
  const line = Semaphore.create(0, { arena, name: 'line' });
  const held = Array.from({ length: locks }, (_, index) => Mutex.create({ arena, name: `lock ${index}` }));
  for (const lock of held) lock.lock();
  const all = [line, ...held];
  for (let wait = 0; wait < waits; wait++) {
    const at = all[wait % all.length];
    void (at instanceof Mutex ? at.lockAsync() : at?.acquireAsync());
  }
  for (let round = 0; round < warmUps; round++) formatReport(arena);
  const began = performance.now();
  formatReport(arena);
  const reported = performance.now();
  findDeadlocks(arena);
  /** @type {ReportsResult} */
  const result = { reportMillis: reported - began, deadlocksMillis: performance.now() - reported };
  return Promise.resolve(result);
});
