// @ts-check
// One of several threads that kick each other. In each round one thread signals the events of all others, and each of
// the others waits for its own event. Then each thread decrements a shared counter. The thread that brings the counter
// to 0 kicks next.
import { Region } from '@sluice/core';
import { parentPort, workerData } from 'node:worker_threads';
import { EVENTS } from './events.mjs';

/** @import { RegionHandle } from '@sluice/core' */

/** Words of the region: 1 while the threads run; the counter. */
export const RUNS = 0;
export const LEFT = 1;

/** @typedef {{ name: string, handles: object[], words: RegionHandle, index: number, rounds: number }} WorkerData */

/** @param {WorkerData} data */
function kick({ name, handles, words: region, index, rounds }) {
  const events = handles.map((handle) => EVENTS[name]?.from(/** @type {never} */ (handle)));
  const own = events[index];
  const words = Region.from(region).int32;
  parentPort?.postMessage('ready');
  Atomics.wait(words, RUNS, 0);
  let kicks = index === 0;
  for (let round = 0; round < rounds; round++) {
    if (kicks) {
      Atomics.store(words, LEFT, events.length);
      for (const event of events) if (event !== own) event?.signal();
    } else own?.wait();
    const before = Atomics.sub(words, LEFT, 1);
    if (before < 1) throw new Error(`a thread went on without a kick in round ${round}`);
    kicks = before === 1;
  }
}

// The main thread imports only the constants.
if (parentPort !== null) kick(/** @type {WorkerData} */ (workerData));
