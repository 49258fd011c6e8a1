// @ts-check
// Holds the lock until the main thread has seen enough.
import { Semaphore } from '@sluice/core';
import { Mutex } from '@sluice/mutex';
import { parentPort, workerData } from 'node:worker_threads';

/** @type {{ accounts: import('@sluice/mutex').MutexHandle, enough: import('@sluice/core').SemaphoreHandle }} */
const handles = workerData;
const enough = Semaphore.from(handles.enough);
Mutex.from(handles.accounts).run(() => {
  parentPort?.postMessage('locked');
  enough.acquire();
});
