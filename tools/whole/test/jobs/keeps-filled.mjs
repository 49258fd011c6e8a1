// @ts-check
// A worker that always has a next value for the loops of another thread; or one that owns a mutex and ends.
import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Broadcast, WatchCell } from '@sluice/broadcast';
import { Mutex } from '@sluice/mutex';
import { parentPort, workerData } from 'node:worker_threads';

/** @import { BoundedBufferHandle } from '@sluice/bounded-buffer' */
/** @import { BroadcastHandle } from '@sluice/broadcast' */
/** @import { MutexHandle } from '@sluice/mutex' */
/** @import { WatchCellHandle } from '@sluice/broadcast' */

/**
 * @typedef {object} Filled
 * @property {BoundedBufferHandle} [buffer]
 * @property {BroadcastHandle} [broadcast]
 * @property {WatchCellHandle} [cell]
 * @property {MutexHandle} [mutex]
 */

const { buffer, broadcast, cell, mutex } = /** @type {Filled} */ (workerData);
/** How long a call waits, so that the worker can be told to stop. */
const WAIT_MS = 10;

if (mutex !== undefined) {
  Mutex.from(mutex).lock();
  process.exit();
}
const stop = new Int32Array(/** @type {{ stop: SharedArrayBuffer }} */ (workerData).stop);
const values = buffer === undefined ? undefined : BoundedBuffer.from(buffer);
const published = broadcast === undefined ? undefined : Broadcast.from(broadcast);
const set = cell === undefined ? undefined : WatchCell.from(cell);
parentPort?.postMessage('begun');
for (let n = 0; stop[0] === 0; n = (n + 1) & 0xffff) {
  values?.tryPush(n, WAIT_MS);
  published?.publish(n);
  set?.set(n);
}
