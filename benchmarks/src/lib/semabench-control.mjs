// @ts-check
import { control, countOf, createBuffer, phases, viewsOf, WARM_PASSES } from './mutexbench-control.mjs';
import { tallied } from './tally.mjs';

// The words are those of MutexBench; a worker's tally stands in its line, behind its count and its turn.

export { control, countOf, createBuffer, phases, viewsOf, WARM_PASSES };

const TALLY = 2;
const LENGTH = Object.keys(tallied).length;

/** @param {Int32Array} counts @param {number} worker */
export function tallyWords(counts, worker) {
  const begin = countOf(worker) + TALLY;
  return counts.subarray(begin, begin + LENGTH);
}

/**
 * What the workers have counted so far, as the main thread sees it while they go on.
 * @param {Int32Array} counts
 * @param {number} workers
 */
export function readWorkers(counts, workers) {
  return Array.from({ length: workers }, (_, worker) => {
    const words = tallyWords(counts, worker);
    const read = (/** @type {import('./tally.mjs').TallyName} */ name) => Atomics.load(words, tallied[name]);
    return {
      passes: Atomics.load(counts, countOf(worker)),
      wakeUps: read('wakeUps'),
      futile: read('futile'),
      notifies: read('notifies'),
      vain: read('vain'),
    };
  });
}

/** @typedef {ReturnType<typeof readWorkers>[number]} WorkerCounts */

/** The longest wait of all. @param {Int32Array} counts @param {number} workers */
export function worstWaitMillis(counts, workers) {
  const worst = Array.from({ length: workers }, (_, worker) =>
    Atomics.load(tallyWords(counts, worker), tallied.worstMicros),
  );
  return Math.max(...worst) / 1000;
}
