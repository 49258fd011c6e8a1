// @ts-check
// A worker that owns one lock and blocks on another, and posts the outcome.
import { OwnerDiedError, Semaphore } from '@sluice/core';
import { parentPort, workerData } from 'node:worker_threads';
import { SemaphoreLock } from '../jobs/semaphore-lock.mjs';

/** @import { SemaphoreHandle } from '@sluice/core' */

const { owned, wanted } = /** @type {{ owned: SemaphoreHandle, wanted: SemaphoreHandle }} */ (workerData);
const [own, other] = [SemaphoreLock.from(owned), SemaphoreLock.from(wanted)];
own.lock();
parentPort?.once('message', () => {
  try {
    other.lock();
    parentPort?.postMessage('clean');
  } catch (failure) {
    const guard = failure instanceof OwnerDiedError ? failure.guard : undefined;
    guard?.markConsistent();
    guard?.release();
    own.unlock();
    parentPort?.postMessage(guard === undefined ? 'refused' : 'inherited');
  }
  parentPort?.close();
});
parentPort?.postMessage(Semaphore.from(owned).arena.agentId);
