// @ts-check
// Opens its first semaphore, by the core that it is told.
import { workerData } from 'node:worker_threads';

const given = /** @type {{ core: string, handle: import('@sluice/core').SemaphoreHandle }} */ (workerData);
const { Semaphore } = /** @type {typeof import('@sluice/core')} */ (await import(given.core));
Semaphore.from(given.handle);
