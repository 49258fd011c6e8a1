// @ts-check
// A worker that always has a next value for the loops of another thread; or one that owns a mutex and ends.
import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Mutex } from '@sluice/mutex';
import { parentPort, workerData } from 'node:worker_threads';

/** @import { BoundedBufferHandle } from '@sluice/bounded-buffer' */
/** @import { MutexHandle } from '@sluice/mutex' */

/**
 * @typedef {object} Filled
 * @property {BoundedBufferHandle} [buffer]
 * @property {MutexHandle} [mutex]
 * @property {Int32Array} [stop]
 */

const { buffer, mutex, stop } = /** @type {Filled} */ (workerData);
/** How long a call waits, so that the worker can be told to stop. */
const WAIT_MS = 10;

if (mutex !== undefined) Mutex.from(mutex).lock();
if (buffer !== undefined && stop !== undefined) {
  const values = BoundedBuffer.from(buffer);
  parentPort?.postMessage('begun');
  for (let n = 0; stop[0] === 0; n = (n + 1) & 0xffff) values.tryPush(n, WAIT_MS);
}
