// @ts-check
import { LockManager } from '@sluice/named';
import { parentPort, workerData } from 'node:worker_threads';
import { oneByOne } from '../lib/side-by-side.mjs';
import { webLocks } from '../loads/named.mjs';

const locks = workerData === null ? webLocks() : LockManager.from(workerData);
const nothing = () => Promise.resolve();

parentPort?.on('message', (/** @type {number} */ calls) => {
  void oneByOne(calls, () => locks.request('a', nothing)).then(() => parentPort?.postMessage('done'));
});
parentPort?.postMessage('ready');
