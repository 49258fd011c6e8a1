// @ts-check
import { parentPort } from 'node:worker_threads';
import { control, phases } from '../lib/control.mjs';
import { addWait, createWaitTimes } from '../lib/wait-times.mjs';
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
 * @property {boolean} [waits] whether to time each wait
 */

/**
 * @typedef {object} WorkerResult
 * @property {number} passes all of them
 * @property {number} counted those in the counted time
 * @property {number | null} wakeUps in the counted time, where the subject tells
 * @property {number} privateState
 * @property {import('../lib/wait-times.mjs').WaitTimes} waits in the counted time; empty unless they were timed
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

/**
 * The same, and each wait is timed. Two reads of the clock cost more than a pass, so it does not tell the throughput.
 * @param {Lock | ScopedLock} lock
 * @param {Int32Array} words
 * @param {number} phase
 * @param {{ state: number }} own
 * @param {import('../lib/wait-times.mjs').WaitTimes} times
 */
function timeWhile(lock, words, phase, own, times) {
  let passes = 0;
  let began = 0;
  const critical = () => {
    addWait(times, performance.now() - began);
    words[control.sharedState] = xorshift(words[control.sharedState] ?? 0);
  };
  do {
    began = performance.now();
    if ('locked' in lock) lock.locked(critical);
    else {
      lock.acquire();
      critical();
      lock.release();
    }
    own.state = xorshift(own.state);
    passes++;
  } while (words[control.phase] === phase);
  return passes;
}

/** @param {Assignment} assignment @returns {Promise<WorkerResult>} */
async function work({ subject: name, handle, buffer, seed, readOnly, waits: timed = false }) {
  const subject = await loadSubject(name);
  const lock = asLock(subject.open(/** @type {never} */ (handle)));
  const words = new Int32Array(buffer);
  const own = { state: seed };
  const waits = createWaitTimes();
  /** @param {number} phase */
  const passesWhile = (phase) => {
    if (timed) return timeWhile(lock, words, phase, own, waits);
    if ('locked' in lock) return workScopedWhile(lock, words, phase, own);
    return readOnly === undefined ? workWhile(lock, words, phase, own) : readWhile(lock, words, phase, own, readOnly);
  };

  const first = passesWhile(-1);
  Atomics.add(words, control.ready, 1);
  Atomics.wait(words, control.phase, phases.gather);
  const warmUp = passesWhile(phases.warmUp);
  waits.fill(0);
  const wakeUpsSoFar = () => subject.wakeUps?.(/** @type {never} */ (handle)) ?? NaN;
  const before = wakeUpsSoFar();
  const counted = passesWhile(phases.count);
  const wakeUps = wakeUpsSoFar() - before;
  return {
    passes: first + warmUp + counted,
    counted,
    wakeUps: Number.isNaN(wakeUps) ? null : wakeUps,
    privateState: own.state,
    waits,
  };
}

/** @param {Assignment} assignment */
async function answer(assignment) {
  parentPort?.postMessage(await work(assignment));
  parentPort?.close();
}

parentPort?.once('message', (/** @type {Assignment} */ assignment) => void answer(assignment));
