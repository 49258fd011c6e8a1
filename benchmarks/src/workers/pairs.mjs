// @ts-check
import { parentPort } from 'node:worker_threads';
import { control, phases } from '../lib/control.mjs';
import { xorshift } from '../lib/xorshift.mjs';
import { asLock, loadSubject } from '../subjects/subject.mjs';

/** @typedef {import('../subjects/subject.mjs').Lock} Lock */
/** @typedef {import('../subjects/subject.mjs').ScopedLock} ScopedLock */

/**
 * @typedef {object} Assignment
 * @property {import('../subjects/subject.mjs').SubjectName} subject
 * @property {unknown} handle
 * @property {SharedArrayBuffer} buffer
 * @property {number} seed
 * @property {number} [readOnly]
 */

/**
 * @typedef {object} WorkerResult
 * @property {number} passes all of them
 * @property {number} counted those in the counted time
 * @property {number | null} wakeUps in the counted time, where the subject tells
 * @property {number} privateState
 */

/**
 * The work: acquire, a step of the shared generator, release, a step of the own generator. The phase is read plainly,
 * as a C++ program would do it: the calls between two reads keep the compiler from reading it only once.
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

/**
 * The same for readers: inside, some steps of a generator that begins with the shared state, which stays as it is.
 * @param {Lock} lock
 * @param {Int32Array} words
 * @param {number} phase
 * @param {{ state: number }} own
 * @param {number} steps
 */
function readWhile(lock, words, phase, own, steps) {
  let passes = 0;
  let state = own.state;
  do {
    lock.acquire();
    let seen = words[control.sharedState] ?? 0;
    for (let i = 0; i < steps; i++) seen = xorshift(seen);
    lock.release();
    state = xorshift(state ^ (seen & 1)) | 1;
    passes++;
  } while (words[control.phase] === phase);
  own.state = state;
  return passes;
}

/** @param {Assignment} assignment @returns {Promise<WorkerResult>} */
async function work({ subject: name, handle, buffer, seed, readOnly }) {
  const subject = await loadSubject(name);
  const lock = asLock(subject.open(/** @type {never} */ (handle)));
  const words = new Int32Array(buffer);
  const own = { state: seed };
  /** @param {number} phase */
  const passesWhile = (phase) => {
    if ('locked' in lock) return workScopedWhile(lock, words, phase, own);
    return readOnly === undefined ? workWhile(lock, words, phase, own) : readWhile(lock, words, phase, own, readOnly);
  };

  const first = passesWhile(-1);
  Atomics.add(words, control.ready, 1);
  Atomics.wait(words, control.phase, phases.gather);
  const warmUp = passesWhile(phases.warmUp);
  const wakeUpsSoFar = () => subject.wakeUps?.(/** @type {never} */ (handle)) ?? NaN;
  const before = wakeUpsSoFar();
  const counted = passesWhile(phases.count);
  const wakeUps = wakeUpsSoFar() - before;
  return { passes: first + warmUp + counted, counted, wakeUps: Number.isNaN(wakeUps) ? null : wakeUps, privateState: own.state };
}

/** @param {Assignment} assignment */
async function answer(assignment) {
  parentPort?.postMessage(await work(assignment));
  parentPort?.close();
}

parentPort?.once('message', (/** @type {Assignment} */ assignment) => void answer(assignment));
