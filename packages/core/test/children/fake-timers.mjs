// @ts-check
// The first wait of this process uses fake timers. A later wait with real timers must still keep the process alive.
import { mock } from 'node:test';
import { Semaphore } from '@sluice/core';

mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'setImmediate'] });
const first = Semaphore.create(0);
const wait = first.acquireAsync();
first.release();
await wait;
const late = first
  .acquireAsync(1, { timeout: 1000 })
  .catch((/** @type {unknown} */ failure) => /** @type {Error} */ (failure).name);
mock.timers.tick(1000);
console.log(await late);
mock.timers.reset();

const second = Semaphore.create(0);
// Stands for a worker that the program has unreferenced.
setTimeout(() => second.release(), 100).unref();
await second.acquireAsync();
console.log('granted');
