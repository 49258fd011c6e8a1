// @ts-check
// Locks a mutex as often as it is told, with statistics of its own, and posts these.
import { Semaphore } from '@sluice/core';
import { startStatistics } from '@sluice/inspect';
import { Mutex } from '@sluice/mutex';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * @typedef {object} CountsData
 * @property {import('@sluice/mutex').MutexHandle} lock
 * @property {import('@sluice/core').SemaphoreHandle} start
 * @property {number} rounds
 */

/** @type {CountsData} */
const { lock: handle, start, rounds } = workerData;

const statistics = startStatistics({ sample: 1 });
const lock = Mutex.from(handle);

function locksIt() {
  lock.lock();
  lock.unlock();
}

Semaphore.from(start).acquire();
for (let round = 0; round < rounds; round++) locksIt();
parentPort?.postMessage(statistics.snapshot());
