// @ts-check
// A program whose threads do what the lints look for.
import { Arena } from '@sluice/core';
import { startLints } from '@sluice/inspect';
import { Mutex } from '@sluice/mutex';
import { once } from 'node:events';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/** @type {{ arena: import('@sluice/core').ArenaHandle, lock: import('@sluice/mutex').MutexHandle }} */
const handles = workerData;

startLints();
const arena = isMainThread ? Arena.create({ maxPages: 16 }) : Arena.from(handles.arena);
const lock = isMainThread ? Mutex.create({ arena, name: 'accounts' }) : Mutex.from(handles.lock);

if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { arena: arena.handle, lock: lock.handle } });
  await once(worker, 'exit');
  // No thread watches the worker. The warning of that comes after a while.
  const alive = setInterval(() => undefined, 1000);
  process.once('warning', () => clearInterval(alive));
} else lock.lock();
