// @ts-check

/**
 * What one agent has counted since it started: acquires that had to wait, and returns from a park.
 * @typedef {object} WaitCounts
 * @property {number} waits
 * @property {number} wakeUps
 */

/**
 * THE ONE PLACE THAT READS THE LIBRARY'S COUNTERS. Until the library exports them this returns null, and the tables
 * show a dash. It is called by each worker at the start and at the end of the counted time; the difference is used.
 * @param {unknown} lock what the subject's `open` returned
 * @returns {WaitCounts | null}
 */
export function wakeUps(lock) {
  void lock;
  return null;
}
