// @ts-check
// A worker of a program that is looked at: passes through a few mutexes with some work inside and outside.
import { Mutex } from '@sluice/mutex';
import { workerData } from 'node:worker_threads';

/** @type {{ locks: readonly import('@sluice/mutex').MutexHandle[], passes: Int32Array, index: number }} */
const { locks, passes, index } = workerData;
const mutexes = locks.map((handle) => Mutex.from(handle));
/** Steps of the generator, some 1 µs. */
const STEPS = 1000;
let state = index + 1;

function work() {
  for (let step = 0; step < STEPS; step++) state = (Math.imul(state, 1_103_515_245) + 12_345) | 0;
}

for (let pass = 0; ; pass++) {
  const mutex = mutexes[pass % mutexes.length];
  mutex?.lock();
  work();
  mutex?.unlock();
  work();
  // Only this worker writes it.
  passes[index] = pass;
}
