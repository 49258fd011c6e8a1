// @ts-check
import { Semaphore } from '@sluice/core';
import { parentPort, workerData } from 'node:worker_threads';

/** @import { SemaphoreHandle } from '@sluice/core' */

const sem = Semaphore.from(/** @type {SemaphoreHandle} */ (workerData));
const wait = sem.acquireAsync();
parentPort?.postMessage('waits');
void wait.then(() => parentPort?.postMessage('granted'));
