// @ts-check
import { Arena } from '@sluice/core';
import { parentPort } from 'node:worker_threads';
import { control, phases } from '../lib/control.mjs';
import { wakeUps } from '../subjects/agent-options.mjs';
import { loadTester } from '../testers/tester.mjs';

/**
 * @typedef {object} BoxOfficeAssignment
 * @property {import('../testers/tester.mjs').TesterName} tester
 * @property {Arena['handle']} arena
 * @property {Partial<Arena['policy']>} policy
 * @property {unknown} handles
 * @property {SharedArrayBuffer} buffer
 * @property {number} worker
 * @property {number} warmUpRounds
 * @property {number} rounds
 */

/** @typedef {{ start: number, end: number, result: number, wakeUps: number }} BoxOfficeWorkerResult */

/** A clock that all threads of a process agree on. */
const now = () => performance.timeOrigin + performance.now();

/** @param {BoxOfficeAssignment} assignment @returns {Promise<BoxOfficeWorkerResult>} */
async function work({ tester: name, arena: handle, policy, handles, buffer, worker, warmUpRounds, rounds }) {
  const { open } = await loadTester(name);
  // Before anything is opened: this agent waits by its arena's policy.
  Arena.from(handle, { policy });
  const takePart = open(/** @type {never} */ (handles), worker);
  const words = new Int32Array(buffer);
  const warmUp = takePart(warmUpRounds);
  const before = wakeUps({ arena: handle });
  Atomics.add(words, control.ready, 1);
  Atomics.wait(words, control.phase, phases.gather);
  const start = now();
  const counted = takePart(rounds);
  return { start, end: now(), result: warmUp + counted, wakeUps: wakeUps({ arena: handle }) - before };
}

/** @param {BoxOfficeAssignment} assignment */
async function answer(assignment) {
  parentPort?.postMessage(await work(assignment));
  parentPort?.close();
}

parentPort?.once('message', (/** @type {BoxOfficeAssignment} */ assignment) => void answer(assignment));
