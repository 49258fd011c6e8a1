// @ts-check

/**
 * One of the five tests of Preshing's test suite, written anew after what they do: how many threads, what each does in
 * a round, and how the whole checks itself.
 * @typedef {object} Tester
 * @property {(arena: import('@sluice/core').Arena, workers: number) => unknown} create what the workers share, as
 *   handles
 * @property {(handles: never, worker: number) => (rounds: number) => number} open in each worker: its part, which
 *   returns what `passed` asks for
 * @property {(handles: never, results: number[]) => boolean} passed from what each worker's parts returned in sum
 */

/**
 * A module of this folder each.
 * @typedef {'benaphore' | 'recursive-benaphore' | 'auto-reset-event' | 'auto-reset-event-cond-var'
 *   | 'auto-reset-event-condition' | 'rw-lock' | 'lock-reduced-table' | 'mutex-table'} TesterName
 */

/**
 * @param {TesterName} name
 * @returns {Promise<Tester>}
 */
export async function loadTester(name) {
  return await import(`./${name}.mjs`);
}

/** @param {number} count */
export const sharedInts = (count) => new Int32Array(new SharedArrayBuffer(4 * count));

/** For testers whose parts return how often something was wrong. @param {unknown} _ @param {number[]} results */
export const nothingWrong = (_, results) => results.every((count) => count === 0);
