// @ts-check
// Makes many async calls on a mutex that another thread uses in the same way, and notes when its tasks ran.
import { Mutex } from '@sluice/mutex';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * @typedef {object} AsyncTurnsAssignment
 * @property {import('@sluice/mutex').MutexHandle} handle
 * @property {number} calls so many wait at a time
 * @property {number} rounds the last one is measured
 * @property {number} threads
 * @property {number} mine 1 or more: the number of this thread
 * @property {boolean} alternating whether the threads make their calls one after the other, in turn
 * @property {Int32Array} control
 */

/** Words of `control`. */
const [READY, GO, LAST, SWITCHES, NEXT] = /** @type {const} */ ([0, 1, 2, 3, 4]);

/** @type {AsyncTurnsAssignment} */
const { handle, calls, rounds, threads, mine, alternating, control } = workerData;
const mutex = Mutex.from(handle);

/** Waits until the threads before this one have made their calls. @param {number} call */
function awaitMyCall(call) {
  const wanted = call * threads + mine - 1;
  for (let next = Atomics.load(control, NEXT); next !== wanted; next = Atomics.load(control, NEXT))
    Atomics.wait(control, NEXT, next);
}

/** @param {number} round */
async function run(round) {
  let [since, longest] = [0, 0];
  const task = () => {
    // The mutex is held: the plain accesses of the threads do not race.
    const now = performance.now();
    if (control[LAST] === mine) longest = Math.max(longest, now - since);
    else {
      control[LAST] = mine;
      Atomics.add(control, SWITCHES, 1);
      since = now;
    }
  };
  Atomics.add(control, READY, 1);
  Atomics.wait(control, GO, round);
  const all = Array.from({ length: calls }, (_, call) => {
    if (alternating) awaitMyCall(call);
    const done = mutex.runAsync(task);
    if (alternating) {
      Atomics.add(control, NEXT, 1);
      Atomics.notify(control, NEXT);
    }
    return done;
  });
  Atomics.add(control, READY, 1);
  await Promise.all(all);
  return { longest, ended: performance.timeOrigin + performance.now() };
}

let last = { longest: 0, ended: 0 };
for (let round = 0; round < rounds; round++) last = await run(round);
parentPort?.postMessage(last);
