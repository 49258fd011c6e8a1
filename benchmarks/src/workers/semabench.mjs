// @ts-check
import { parentPort } from 'node:worker_threads';
import { control, phases } from '../lib/control.mjs';
import { wakeUps } from '../lib/wake-ups.mjs';
import { xorshift } from '../lib/xorshift.mjs';
import { loadSubject } from '../subjects/subject.mjs';

/** @typedef {import('../subjects/subject.mjs').Lock} Lock */
/** @typedef {import('../subjects/subject.mjs').ScopedLock} ScopedLock */

/**
 * @typedef {object} Assignment
 * @property {import('../subjects/subject.mjs').SubjectName} subject
 * @property {unknown} handle
 * @property {SharedArrayBuffer} buffer
 * @property {number} seed
 */

/**
 * @typedef {object} WorkerResult
 * @property {number} passes all of them
 * @property {number} counted those in the counted time
 * @property {import('../lib/wake-ups.mjs').WaitCounts | null} counts in the counted time
 * @property {number} privateState
 */

/**
 * The work: acquire, a step of the shared generator, release, a step of the own generator. The phase is read plainly,
 * as the C++ program does it: the calls between two reads keep the compiler from reading it only once.
 * @param {Lock} lock
 * @param {Int32Array} words
 * @param {number} phase
 * @param {{ state: number }} own
 */
function workWhile(lock, words, phase, own) {
  let passes = 0;
  let state = own.state;
  do {
    lock.acquire();
    words[control.sharedState] = xorshift(words[control.sharedState] ?? 0);
    lock.release();
    state = xorshift(state);
    passes++;
  } while (words[control.phase] === phase);
  own.state = state;
  return passes;
}

/**
 * The same for a lock that only takes a callback.
 * @param {ScopedLock} lock
 * @param {Int32Array} words
 * @param {number} phase
 * @param {{ state: number }} own
 */
function workScopedWhile(lock, words, phase, own) {
  let passes = 0;
  let state = own.state;
  const critical = () => {
    words[control.sharedState] = xorshift(words[control.sharedState] ?? 0);
  };
  do {
    lock.locked(critical);
    state = xorshift(state);
    passes++;
  } while (words[control.phase] === phase);
  own.state = state;
  return passes;
}

/** @param {Assignment} assignment @returns {Promise<WorkerResult>} */
async function work({ subject, handle, buffer, seed }) {
  const lock = (await loadSubject(subject)).open(/** @type {never} */ (handle));
  const words = new Int32Array(buffer);
  const own = { state: seed };
  /** @param {number} phase */
  const passesWhile = (phase) => ('locked' in lock ? workScopedWhile(lock, words, phase, own) : workWhile(lock, words, phase, own));

  const first = passesWhile(-1);
  Atomics.add(words, control.ready, 1);
  Atomics.wait(words, control.phase, phases.gather);
  const warmUp = passesWhile(phases.warmUp);
  const before = wakeUps(lock);
  const counted = passesWhile(phases.count);
  const after = wakeUps(lock);
  const counts = before && after && { waits: after.waits - before.waits, wakeUps: after.wakeUps - before.wakeUps };
  return { passes: first + warmUp + counted, counted, counts, privateState: own.state };
}

parentPort?.once('message', async (/** @type {Assignment} */ assignment) => {
  parentPort?.postMessage(await work(assignment));
  parentPort?.close();
});
