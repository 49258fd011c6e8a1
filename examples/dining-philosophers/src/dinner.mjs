// What the threads share. The main thread creates it, every philosopher opens it from the handles.
import { Arena, Region, Semaphore } from '@sluice/core';
import { Bell } from './bell.mjs';
import { Log } from './log.mjs';
import { ForkTable } from './tables/fork-table.mjs';
import { LockReducedTable } from './tables/lock-reduced-table.mjs';
import { MutexTable } from './tables/mutex-table.mjs';

/** @typedef {'mutex' | 'lock-reduced' | 'forks'} Solution */
/** @typedef {import('./tables/mutex-table.mjs').MutexTableHandle} MutexTableHandle */
/** @typedef {import('./tables/lock-reduced-table.mjs').LockReducedTableHandle} LockReducedTableHandle */
/** @typedef {import('./tables/fork-table.mjs').ForkTableHandle} ForkTableHandle */
/** @typedef {MutexTableHandle | LockReducedTableHandle | ForkTableHandle} TableHandle */
/** @typedef {ReturnType<typeof createDinner>['handles']} DinnerHandles */

const TABLES = { mutex: MutexTable, 'lock-reduced': LockReducedTable, forks: ForkTable };

/**
 * @param {Solution} solution
 * @param {number} philosophers
 * @param {number} meals of each philosopher
 */
export function createDinner(solution, philosophers, meals) {
  const arena = Arena.create();
  const table = TABLES[solution].create(philosophers, { arena });
  const handles = {
    table: table.handle,
    log: Log.create(philosophers * meals, arena).handle,
    bell: Bell.create(arena).handle,
    forks: Region.create(philosophers * Int32Array.BYTES_PER_ELEMENT, { arena, name: 'forks' }).handle,
    seated: Semaphore.create(0, { arena, recovery: false, name: 'seated' }).handle,
    served: Semaphore.create(0, { arena, recovery: false, name: 'served' }).handle,
  };
  return { ...openDinner(handles), handles, arena };
}

/** @param {TableHandle} handle */
function openTable(handle) {
  if (handle.solution === 'forks') return new ForkTable(handle);
  return handle.solution === 'mutex' ? new MutexTable(handle) : new LockReducedTable(handle);
}

/**
 * @param {{ table: TableHandle, log: import('@sluice/core').RegionHandle,
 *   bell: import('@sluice/core').RegionHandle, forks: import('@sluice/core').RegionHandle,
 *   seated: import('@sluice/core').SemaphoreHandle, served: import('@sluice/core').SemaphoreHandle }} handles
 */
export function openDinner({ table, log, bell, forks, seated, served }) {
  return {
    table: openTable(table),
    log: new Log(log),
    bell: new Bell(bell),
    /**
     * How often each fork was used: plain words, guarded by the table alone. Fork i lies to the right of philosopher i.
     */
    forks: Region.from(forks).int32,
    /** One permit for each philosopher that has sat down. */
    seated: Semaphore.from(seated),
    /** One permit for each philosopher, released as soon as all have sat down. */
    served: Semaphore.from(served),
  };
}
