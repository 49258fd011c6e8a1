// @ts-check
import { generatorWords } from './mt19937.mjs';

/** In words: neighbours in memory that no two workers should share. */
const LINE = 32;

/** Of all arrivals; the workers stop when so many are recorded. */
export const recordLength = 2 ** 21;

export const phases = { gather: 0, warmUp: 1, count: 2, pause: 3, record: 4, stop: 5 };

/** The places of the words that all share. */
export const control = { phase: 0, ready: LINE, arrivals: 2 * LINE, admissions: 3 * LINE, end: 4 * LINE };

/**
 * What the main thread and the workers share.
 * @param {SharedArrayBuffer} buffer
 * @param {number} workers
 */
export function viewsOf(buffer, workers) {
  const generatorAt = control.end + workers * LINE;
  const recordAt = generatorAt + generatorWords + LINE;
  return {
    words: new Int32Array(buffer, 0, control.end),
    /** A line for each worker: how often it has been through, and whether it is its turn to practise. */
    counts: new Int32Array(buffer, 4 * control.end, workers * LINE),
    generator: new Int32Array(buffer, 4 * generatorAt, generatorWords),
    record: new Int32Array(buffer, 4 * recordAt, recordLength + workers),
  };
}

/** @param {number} workers */
export function createBuffer(workers) {
  return new SharedArrayBuffer(4 * (control.end + workers * LINE + generatorWords + LINE + recordLength + workers));
}

/** @param {number} worker */
export const countOf = (worker) => worker * LINE;

/** @param {number} worker */
export const turnOf = (worker) => countOf(worker) + 1;

/** Contended passes after which the code of a worker counts as warm. */
export const WARM_PASSES = 1000;

export const sharedSeed = 5489;
