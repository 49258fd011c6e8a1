// @ts-check
// A worker that `spawn` has started. It acquires a permit, and ends as its data says.
import { Semaphore } from '@sluice/core';
import { parentPort, workerData } from 'node:worker_threads';

/** @type {{ semaphore: import('@sluice/core').SemaphoreHandle, how: string, more?: unknown }} */
const { semaphore, how, more } = workerData;
Semaphore.from(semaphore).acquire();
parentPort?.postMessage({ more });
if (how === 'an error') throw new Error('the worker failed');
if (how === 'an exit code') process.exit(7);
if (how === 'terminate') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
if (how === 'a message') {
  const answer = (/** @type {{ port: import('node:worker_threads').MessagePort }} */ { port }) => {
    port.postMessage('moved');
    port.close();
  };
  parentPort?.once('message', answer);
}
