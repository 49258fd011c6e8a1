// @ts-check
import { Semaphore } from '@sluice/core';
import { workerData } from 'node:worker_threads';
import { receive, send } from '../lib/exchange.mjs';

/**
 * @typedef {object} LatencyAssignment
 * @property {import('../lib/exchange.mjs').Kind} kind
 * @property {Semaphore['handle']} handle
 * @property {import('node:worker_threads').MessagePort} port
 * @property {boolean} sends
 * @property {{ word: SharedArrayBuffer, progress: SharedArrayBuffer, sentAt: SharedArrayBuffer, wokenAt:
 *   SharedArrayBuffer }} buffers
 * @property {number} samples
 * @property {number} paceMillis
 */

/** @type {LatencyAssignment} */
const { kind, handle, port, sends, buffers, samples, paceMillis } = workerData;

const exchange = {
  kind,
  semaphore: Semaphore.from(handle),
  port,
  word: new Int32Array(buffers.word),
  progress: new Int32Array(buffers.progress),
  sentAt: new Float64Array(buffers.sentAt),
  wokenAt: new Float64Array(buffers.wokenAt),
  samples,
  paceMillis,
};

await (sends ? send(exchange) : receive(exchange));
port.close();
