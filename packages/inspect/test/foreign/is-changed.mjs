// @ts-check
import { Worker } from 'node:worker_threads';

const isNative = [Atomics.wait, Atomics.notify, Atomics.compareExchange].every((each) =>
  String(each).includes('[native code]'),
);
console.log(isNative && Worker.prototype.constructor === Worker ? 'Atomics as they were' : 'changed');
