// @ts-check
import { parentPort } from 'node:worker_threads';
import { generatorWords, seedGenerator, stepGenerator } from '../lib/mt19937.mjs';
import { control, countOf, phases, recordLength, viewsOf } from '../lib/mutexbench-control.mjs';
import { awaitTurn, passTurn } from '../lib/turns.mjs';
import { asLock, loadSubject } from '../subjects/subject.mjs';

/** @typedef {import('../subjects/subject.mjs').Lock} Lock */
/** @typedef {import('../subjects/subject.mjs').ScopedLock} ScopedLock */

/**
 * @typedef {object} Assignment
 * @property {import('../subjects/subject.mjs').SubjectName} subject
 * @property {unknown} handle
 * @property {SharedArrayBuffer} buffer
 * @property {number} workers
 * @property {number} worker from 0
 * @property {boolean} privateStep whether the non-critical section is a step of an own generator
 */

/**
 * Passes of each worker alone before all begin, so that its code is compiled for speed: 64 at once would take seconds.
 */
const PRACTICE = 20_000;

/** @typedef {ReturnType<typeof viewsOf> & { own: Int32Array | null, slot: number }} Desk */

/**
 * Lock, a step of the shared generator, unlock, perhaps a step of the own generator, until the phase is over. The phase
 * is read plainly, as the C++ program does it: the calls between two reads keep the compiler from reading it only once.
 * @param {Lock | ScopedLock} lock
 * @param {Desk} desk
 * @param {number} until the phase
 */
function workUntil(lock, { words, counts, generator, own, slot }, until) {
  let passes = counts[slot] ?? 0;
  if ('locked' in lock) {
    const critical = () => void stepGenerator(generator);
    do {
      lock.locked(critical);
      counts[slot] = ++passes;
      if (own !== null) stepGenerator(own);
    } while ((words[control.phase] ?? 0) < until);
    return;
  }
  do {
    lock.acquire();
    stepGenerator(generator);
    lock.release();
    counts[slot] = ++passes;
    if (own !== null) stepGenerator(own);
  } while ((words[control.phase] ?? 0) < until);
}

/**
 * The same, and each draws a number when it comes and notes it when it is let in.
 * @param {Lock | ScopedLock} lock
 * @param {Desk} desk
 */
function recordUntilFull(lock, { words, counts, generator, record, own, slot }) {
  let passes = counts[slot] ?? 0;
  let arrival = 0;
  const critical = () => {
    const admitted = words[control.admissions] ?? 0;
    record[admitted] = arrival;
    words[control.admissions] = admitted + 1;
    stepGenerator(generator);
  };
  do {
    arrival = Atomics.add(words, control.arrivals, 1);
    if ('locked' in lock) {
      lock.locked(critical);
    } else {
      lock.acquire();
      critical();
      lock.release();
    }
    counts[slot] = ++passes;
    if (own !== null) stepGenerator(own);
  } while (words[control.phase] === phases.record && (words[control.admissions] ?? 0) < recordLength);
}

/**
 * One worker after the other, so that none meets another one yet.
 * @param {Lock | ScopedLock} lock
 * @param {Desk} desk
 * @param {import('../lib/turns.mjs').Place} place
 */
function practise(lock, desk, place) {
  awaitTurn(desk.counts, place);
  for (let i = 0; i < PRACTICE; i++) workUntil(lock, desk, phases.gather);
  passTurn(desk.counts, place);
}

/** @param {Int32Array} words @param {number} phase */
function gather(words, phase) {
  Atomics.add(words, control.ready, 1);
  Atomics.wait(words, control.phase, phase);
}

/** @param {Assignment} assignment */
async function work({ subject: name, handle, buffer, workers, worker, privateStep }) {
  const subject = await loadSubject(name);
  const lock = asLock(subject.open(/** @type {never} */ (handle)));
  const own = privateStep ? new Int32Array(generatorWords) : null;
  if (own !== null) seedGenerator(own, worker);
  const desk = { ...viewsOf(buffer, workers), own, slot: countOf(worker) };
  practise(lock, desk, { worker, workers });
  gather(desk.words, phases.gather);
  workUntil(lock, desk, phases.pause);
  gather(desk.words, phases.pause);
  if (Atomics.load(desk.words, control.phase) === phases.record) recordUntilFull(lock, desk);
}

/** @param {Assignment} assignment */
async function answer(assignment) {
  await work(assignment);
  parentPort?.postMessage('done');
  parentPort?.close();
}

parentPort?.once('message', (/** @type {Assignment} */ assignment) => void answer(assignment));
