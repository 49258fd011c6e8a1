// @ts-check
// Meets the others again and again. The first worker measures, and says before an arrival that it is the last: so all stop after one generation.
import { parentPort, workerData } from 'node:worker_threads';
import { loadSubject } from '../subjects/subject.mjs';

/**
 * @typedef {object} Assignment
 * @property {import('../subjects/subject.mjs').SubjectName} subject
 * @property {unknown} handle
 * @property {SharedArrayBuffer} stop
 * @property {number} worker from 0
 * @property {number} seconds
 * @property {number} warmUpSeconds
 */

const { subject, handle, stop, worker, seconds, warmUpSeconds } = /** @type {Assignment} */ (workerData);
const opened = (await loadSubject(subject)).open(/** @type {never} */ (handle));
if (!('meet' in opened)) throw new Error(`${subject} is no barrier`);
const { meet } = opened;
const isOver = new Int32Array(stop);

function follow() {
  do meet();
  while (Atomics.load(isOver, 0) === 0);
}

/** @param {number} millis @param {boolean} isLast @returns {import('../jobs/barrier.mjs').BarrierResult} */
function lead(millis, isLast) {
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  let generations = 0;
  let left = millis;
  while (left > 0) {
    left = millis - (performance.now() - began);
    if (left <= 0 && isLast) Atomics.store(isOver, 0, 1);
    meet();
    generations += 1;
  }
  const { user, system } = process.cpuUsage(cpu);
  return { generationsPerSecond: (generations * 1000) / (performance.now() - began), cpuMicrosPerGeneration: (user + system) / generations };
}

if (worker > 0) follow();
else {
  lead(warmUpSeconds * 1000, false);
  parentPort?.postMessage(lead(seconds * 1000, true));
}
