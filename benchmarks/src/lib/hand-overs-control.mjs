// @ts-check

/** In words: neighbours in memory that no two workers should share. */
const LINE = 32;

export const phases = { gather: 0, go: 1, stop: 2 };

/** The places of the words that all share. */
export const control = { phase: 0, ready: LINE, end: 2 * LINE };

/** The place of a worker's count, and of its word of the ring. @param {number} worker */
export const countOf = (worker) => worker * LINE;

/**
 * What the main thread and the workers share.
 * @param {SharedArrayBuffer} buffer
 * @param {number} workers
 */
export function viewsOf(buffer, workers) {
  const length = workers * LINE;
  return {
    words: new Int32Array(buffer, 0, control.end),
    counts: new Int32Array(buffer, 4 * control.end, length),
    ring: new Int32Array(buffer, 4 * (control.end + length), length),
  };
}

/** @param {number} workers */
export function createBuffer(workers) {
  return new SharedArrayBuffer(4 * (control.end + 2 * workers * LINE));
}
