// @ts-check
// Opens its first semaphore, by the core that it is told.
import { workerData } from 'node:worker_threads';

const { Semaphore } = /** @type {typeof import('@sluice/core')} */ (await import(workerData.core));
Semaphore.from(workerData.handle);
