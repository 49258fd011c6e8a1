// What the threads share. The main thread creates it, every worker opens it from the handles.
import { Arena, Region, Semaphore } from '@sluice/core';
import { FileTable } from './file-table.mjs';
import { Tally } from './tally.mjs';

const PAGE_BYTES = 65_536;
const PAGES_TO_SPARE = 64;

/**
 * Creates an arena that can grow until the list of files fits.
 * @param {Buffer[]} paths
 */
export function arenaFor(paths) {
  return Arena.create({ maxPages: PAGES_TO_SPARE + Math.ceil(FileTable.bytesFor(paths) / PAGE_BYTES) });
}

/**
 * @param {Buffer[]} paths
 * @param {number} limit how many files may be open at once
 * @param {number} agents how many threads take part
 */
export function createJob(paths, limit, agents) {
  const arena = arenaFor(paths);
  const slots = Semaphore.create(limit, { arena, name: 'open files' });
  const guard = Semaphore.create(1, { arena, name: 'tally guard' });
  const tally = Region.create(Tally.bytesFor(agents), { arena, name: 'tally' });
  const files = FileTable.create(paths, arena);
  const handles = { slots: slots.handle, guard: guard.handle, tally: tally.handle, files: files.handle };
  return { ...openJob(handles), handles };
}

/** @typedef {{ slots: import('@sluice/core').SemaphoreHandle, guard: import('@sluice/core').SemaphoreHandle,
 *   tally: import('@sluice/core').RegionHandle, files: import('@sluice/core').RegionHandle }} JobHandles */
/** @typedef {ReturnType<typeof openJob>} Job */

/** @param {JobHandles} handles */
export function openJob(handles) {
  const files = FileTable.from(handles.files);
  return {
    /** One permit for each file that may be open. */
    slots: Semaphore.from(handles.slots),
    /** Held while a thread accesses the tally: a semaphore with one permit, used as a lock. */
    guard: Semaphore.from(handles.guard).asLock(),
    tally: new Tally(Region.from(handles.tally), files.length),
    files,
  };
}

/**
 * Whether a wait ended because the semaphore was closed. The program closes it to stop all threads.
 * @param {unknown} error
 */
export function isClosed(error) {
  return error instanceof Error && 'code' in error && error.code === 'SLUICE_CLOSED';
}
