// @ts-check
// A worker that takes a lock and a permit again and again, until it is killed.
import { Semaphore } from '@sluice/core';
import { Mutex } from '@sluice/mutex';
import { parentPort, workerData } from 'node:worker_threads';

/** @type {{ lock: import('@sluice/mutex').MutexHandle, permits: import('@sluice/core').SemaphoreHandle }} */
const handles = workerData;
const [lock, permits] = [Mutex.from(handles.lock), Semaphore.from(handles.permits)];
for (let round = 0; ; round++) {
  lock.run(() => permits.run(() => undefined), { onOwnerDied: (guard) => guard.markConsistent() });
  if (round === 100) parentPort?.postMessage('busy');
}
