// @ts-check
// Acquires two locks of each pair in one order, with the check of the order on, and posts what it reports.
import { Arena, Semaphore } from '@sluice/core';
import { startOrderChecks } from '@sluice/inspect';
import { Mutex } from '@sluice/mutex';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * @typedef {object} OrdersData
 * @property {import('@sluice/core').ArenaHandle} arena
 * @property {number} pairs
 * @property {boolean} isReversed
 * @property {import('@sluice/core').SemaphoreHandle} start
 */

/** @type {OrdersData} */
const { arena: handle, pairs, isReversed, start } = workerData;
/** @type {import('@sluice/inspect').OrderViolation[]} */
const violations = [];
startOrderChecks({ onViolation: (violation) => void violations.push(violation) });
const arena = Arena.from(handle);

/** @param {Mutex} outer @param {Mutex} inner */
function nests(outer, inner) {
  outer.lock();
  inner.lock();
  inner.unlock();
  outer.unlock();
}

// Locks of this thread alone, of the classes that all threads have: no thread waits for another one.
const locks = Array.from({ length: pairs }, (_, pair) =>
  ['a', 'b'].map((name) => Mutex.create({ arena, name: `${name} ${pair}` })),
);
Semaphore.from(start).acquire();
for (const [a, b] of locks) {
  if (a === undefined || b === undefined) continue;
  if (isReversed) nests(b, a);
  else nests(a, b);
}
parentPort?.postMessage(violations);
