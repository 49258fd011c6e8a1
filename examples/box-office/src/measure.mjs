// @ts-check
// Two measurements of one event.
import { Region } from '@sluice/core';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { EVENTS } from './events.mjs';
import { RUNS } from './worker.mjs';

/** @import { WorkerData } from './worker.mjs' */

const WORKER = new URL('./worker.mjs', import.meta.url);

/**
 * Returns the duration, in microseconds, of a round in which one thread wakes all others.
 * @param {string} name
 * @param {number} threads
 * @param {number} rounds
 */
export async function measureKicks(name, threads, rounds) {
  const events = Array.from({ length: threads }, () => eventNamed(name));
  const words = Region.create(8);
  const workers = events.map((_, index) => {
    const handles = events.map(({ handle }) => handle);
    /** @type {WorkerData} */
    const workerData = { name, handles, words: words.handle, index, rounds };
    return new Worker(WORKER, { workerData });
  });
  const ends = workers.map((worker) => once(worker, 'exit'));
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  const begin = performance.now();
  Atomics.store(words.int32, RUNS, 1);
  Atomics.notify(words.int32, RUNS);
  await Promise.all(ends);
  return (1000 * (performance.now() - begin)) / rounds;
}

/**
 * Returns the duration, in nanoseconds, of a signal to an event that is signalled already.
 * @param {string} name
 * @param {number} signals
 */
export function measureSignals(name, signals) {
  const event = eventNamed(name);
  for (let count = 0; count < signals; count++) event.signal(); // until the engine has compiled it
  const begin = performance.now();
  for (let count = 0; count < signals; count++) event.signal();
  return (1e6 * (performance.now() - begin)) / signals;
}

/** @param {string} name */
function eventNamed(name) {
  const event = EVENTS[name]?.create();
  if (event === undefined) throw new Error(`no event '${name}'`);
  return event;
}
