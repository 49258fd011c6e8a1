// @ts-check
import { SharedCache } from '@sluice/cache';
import { parentPort, workerData } from 'node:worker_threads';
import { CALLERS } from '../loads/cache.mjs';

/** @type {SharedCache<string>} */
const cache = SharedCache.from(workerData);
const compute = async (/** @type {string} */ key) => {
  await new Promise((resolve) => setImmediate(resolve));
  return key;
};

parentPort?.on('message', (/** @type {string} */ key) => {
  void Promise.all(Array.from({ length: CALLERS }, () => cache.getAsync(key, compute))).then(() =>
    parentPort?.postMessage('done'),
  );
});
parentPort?.postMessage('ready');
