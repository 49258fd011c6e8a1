// @ts-check
// Meets the others again and again. The first worker measures, and says which generation is the last.
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
const meet = () => opened.meet();
const last = new Int32Array(stop);

/** How many generations this thread has been through. */
let passed = 0;

function follow() {
  do {
    meet();
    passed += 1;
  } while (passed !== Atomics.load(last, 0));
}

/** @param {number} millis @param {boolean} isLast @returns {import('../jobs/barrier.mjs').BarrierResult} */
function lead(millis, isLast) {
  const [began, cpu, before] = [performance.now(), process.cpuUsage(), passed];
  for (let goesOn = true; goesOn; passed += 1) {
    goesOn = performance.now() - began < millis;
    // The generation after this one: another thread may not have looked yet since the one before it.
    if (!goesOn && isLast) Atomics.store(last, 0, passed + 2);
    meet();
  }
  const generations = passed - before;
  const { user, system } = process.cpuUsage(cpu);
  const result = {
    generationsPerSecond: (generations * 1000) / (performance.now() - began),
    cpuMicrosPerGeneration: (user + system) / generations,
  };
  if (isLast) meet();
  return result;
}

if (worker > 0) follow();
else {
  lead(warmUpSeconds * 1000, false);
  parentPort?.postMessage(lead(seconds * 1000, true));
}
