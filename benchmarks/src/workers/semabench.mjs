// @ts-check
import { Arena } from '@sluice/core';
import { contextOf } from '@sluice/core/internal';
import { parentPort } from 'node:worker_threads';
import { generatorWords, seedGenerator, stepGenerator } from '../lib/mt19937.mjs';
import { control, countOf, phases, tallyWords, viewsOf } from '../lib/semabench-control.mjs';
import { tallyOf } from '../lib/tally.mjs';
import { awaitTurn, passTurn } from '../lib/turns.mjs';
import { loadSubject } from '../subjects/subject.mjs';

/** @typedef {import('../subjects/member.mjs').PermitLock} PermitLock */

/**
 * @typedef {object} Assignment
 * @property {import('../jobs/semabench.mjs').SemaphoreSubject} subject
 * @property {{ arena: Arena['handle'] }} handle
 * @property {SharedArrayBuffer} buffer
 * @property {number} workers
 * @property {number} worker from 0
 * @property {boolean} awaits whether it waits with `acquireAsync`
 */

/**
 * Passes of each worker alone before all begin, so that its code is compiled for speed: 64 at once would take seconds.
 */
const PRACTICE = 20_000;

/**
 * @typedef {ReturnType<typeof viewsOf> & { own: Int32Array, slot: number, tally: import('../lib/tally.mjs').Tally }}
 *   Desk
 */

/**
 * Acquire, a step of the shared generator, release, a step of the own generator, until the phase is over. The phase is
 * read plainly, as the C++ program does it: the calls between two reads keep the compiler from reading it only once.
 * @param {PermitLock} lock
 * @param {Desk} desk
 * @param {number} until the phase
 */
function workUntil(lock, { words, counts, generator, own, slot, tally }, until) {
  let passes = counts[slot] ?? 0;
  do {
    lock.acquire();
    stepGenerator(generator);
    lock.release();
    tally.admitted();
    counts[slot] = ++passes;
    stepGenerator(own);
  } while ((words[control.phase] ?? 0) < until);
}

/**
 * The same without blocking.
 * @param {PermitLock} lock
 * @param {Desk} desk
 * @param {number} until the phase
 */
async function workAsyncUntil(lock, { words, counts, generator, own, slot, tally }, until) {
  let passes = counts[slot] ?? 0;
  do {
    await lock.acquireAsync();
    stepGenerator(generator);
    lock.release();
    tally.admitted();
    counts[slot] = ++passes;
    stepGenerator(own);
  } while ((words[control.phase] ?? 0) < until);
}

/** @param {Assignment} assignment */
async function work({ subject: name, handle, buffer, workers, worker, awaits }) {
  const subject = await loadSubject(name);
  const lock = /** @type {PermitLock} */ (subject.open(/** @type {never} */ (handle)));
  const views = viewsOf(buffer, workers);
  const { words, counts } = views;
  const own = new Int32Array(generatorWords);
  seedGenerator(own, worker);
  const counting = () => (words[control.phase] ?? 0) >= phases.count;
  const tally = tallyOf(contextOf(Arena.from(handle.arena)).parking, tallyWords(counts, worker), counting);
  const desk = { ...views, own, slot: countOf(worker), tally };
  const workOn = async (/** @type {number} */ until) => {
    if (awaits) await workAsyncUntil(lock, desk, until);
    else workUntil(lock, desk, until);
  };

  awaitTurn(counts, { worker, workers });
  for (let i = 0; i < PRACTICE; i++) await workOn(phases.gather);
  passTurn(counts, { worker, workers });
  Atomics.add(words, control.ready, 1);
  Atomics.wait(words, control.phase, phases.gather);
  await workOn(phases.pause);
}

/** @param {Assignment} assignment */
async function answer(assignment) {
  await work(assignment);
  parentPort?.postMessage('done');
  parentPort?.close();
}

parentPort?.once('message', (/** @type {Assignment} */ assignment) => void answer(assignment));
