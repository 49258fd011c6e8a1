// @ts-check
// Acquires two locks, the second one while it holds the first one. The check of the order is switched on from outside.
import { Mutex } from '@sluice/mutex';
import { workerData } from 'node:worker_threads';

/** @type {{ readonly outer: import('@sluice/mutex').MutexHandle, readonly inner: import('@sluice/mutex').MutexHandle }} */
const handles = workerData;
const [outer, inner] = [Mutex.from(handles.outer), Mutex.from(handles.inner)];

function acquiresBoth() {
  outer.lock();
  inner.lock();
  inner.unlock();
  outer.unlock();
}

acquiresBoth();
