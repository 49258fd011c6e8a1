// @ts-check
// Rounds of notifyAll: a coordinator starts a round for all workers that wait, and waits until each of them has owned
// the lock.
import { Arena } from '@sluice/core';
import { Worker, isMainThread } from 'node:worker_threads';
import { main } from '../lib/jobs.mjs';
import { sum } from '../lib/statistics.mjs';
import { loadMonitor } from '../subjects/condition-variables.mjs';

/** The conditions. */
export const GO = 0;
export const DONE = 1;
/** The words that the lock protects. */
export const ROUND = 0;
export const LEFT = 1;

/**
 * @typedef {object} ConditionSpecification
 * @property {import('../subjects/condition-variables.mjs').MonitorName} subject
 * @property {number} workers
 * @property {number} rounds
 */

/**
 * @typedef {object} ConditionResult
 * @property {number} micros for one notifyAll, until all workers have owned the lock and wait again
 * @property {number} switches voluntary context switches of the process meanwhile, for each waiter
 * @property {number} wakeUps returns from a sleep of the library's, for each waiter; 0 for others
 */

/** @param {ConditionSpecification} specification @returns {Promise<ConditionResult>} */
async function measure({ subject, workers, rounds }) {
  const arena = Arena.create({ maxPages: 64 });
  const monitor = await loadMonitor(subject);
  const handle = monitor.create(arena, 2);
  const words = new Int32Array(new SharedArrayBuffer(8));
  words[LEFT] = workers;
  // As many rounds before the measurement: each thread compiles the code of a wait for itself, which takes it some
  // thousand rounds.
  const total = 2 * rounds;
  const workerData = { subject, arena: arena.handle, handle, words, rounds: total };
  const group = Array.from(
    { length: workers },
    () => new Worker(new URL('../workers/condition.mjs', import.meta.url), { workerData }),
  );
  const wakeUps = Promise.all(
    group.map(
      (worker) => new Promise((/** @type {(count: number) => void} */ resolve) => worker.once('message', resolve)),
    ),
  );
  const { acquire, release, wait, notifyAll } = monitor.open(/** @type {never} */ (handle));
  const one = () => {
    words[LEFT] = workers;
    words[ROUND] = (words[ROUND] ?? 0) + 1;
    notifyAll(GO);
    while (words[LEFT] !== 0) wait(DONE);
  };
  acquire();
  while (words[LEFT] !== 0) wait(DONE);
  for (let round = rounds; round < total; round++) one();
  const before = { switches: process.resourceUsage().voluntaryContextSwitches, time: performance.now() };
  for (let round = 0; round < rounds; round++) one();
  const millis = performance.now() - before.time;
  const switches = process.resourceUsage().voluntaryContextSwitches - before.switches;
  release();
  return {
    micros: (1000 * millis) / rounds,
    switches: switches / rounds / workers,
    wakeUps: sum(await wakeUps) / total / workers,
  };
}

if (isMainThread) await main(measure);
