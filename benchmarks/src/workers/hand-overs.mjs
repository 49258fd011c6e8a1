// @ts-check
// Passes through a lock, or a ring of threads that wake each other, as soon as all workers are there: without practice.
import { parentPort, workerData } from 'node:worker_threads';
import { control, countOf, phases, viewsOf } from '../lib/hand-overs-control.mjs';
import { asLock, loadSubject } from '../subjects/subject.mjs';

/**
 * @typedef {object} HandOversAssignment
 * @property {import('../jobs/hand-overs.mjs').HandOversSubject} subject
 * @property {unknown} handle null: the ring
 * @property {SharedArrayBuffer} buffer
 * @property {number} workers
 * @property {number} worker from 0
 */

/** @typedef {ReturnType<typeof viewsOf>} Views */

/**
 * @param {import('../subjects/subject.mjs').Lock} lock
 * @param {Views} views
 * @param {number} slot
 */
function passLock(lock, { words, counts }, slot) {
  let passes = 0;
  do {
    lock.acquire();
    counts[slot] = ++passes;
    lock.release();
  } while (words[control.phase] !== phases.stop);
}

/**
 * Each worker sleeps on a word of its own until the one before it in the ring has written it.
 * @param {Views} views
 * @param {number} own
 * @param {number} next
 */
function passRing({ words, counts, ring }, own, next) {
  let passes = 0;
  do {
    while (Atomics.load(ring, own) === 0) Atomics.wait(ring, own, 0);
    Atomics.store(ring, own, 0);
    counts[own] = ++passes;
    Atomics.store(ring, next, 1);
    Atomics.notify(ring, next);
  } while (words[control.phase] !== phases.stop);
}

const { subject, handle, buffer, workers, worker } = /** @type {HandOversAssignment} */ (workerData);
const views = viewsOf(buffer, workers);
const slot = countOf(worker);
const lock = subject === 'ring' ? null : asLock((await loadSubject(subject)).open(/** @type {never} */ (handle)));
if (lock !== null && !('acquire' in lock)) throw new Error(`${subject} only takes a callback`);
Atomics.add(views.words, control.ready, 1);
Atomics.wait(views.words, control.phase, phases.gather);
if (lock === null) passRing(views, slot, countOf((worker + 1) % workers));
else passLock(lock, views, slot);
parentPort?.postMessage('done');
