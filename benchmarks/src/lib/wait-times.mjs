// @ts-check

/**
 * How long waits took, in steps of a sixteenth of a power of two: a wait is added without an allocation.
 * @typedef {Float64Array} WaitTimes
 */

const STEPS = 16;

/** @returns {WaitTimes} */
export function createWaitTimes() {
  return new Float64Array(40 * STEPS);
}

/** @param {WaitTimes} times @param {number} millis */
export function addWait(times, millis) {
  const step = Math.floor(Math.log2(1 + millis * 1000) * STEPS);
  const at = Math.min(step, times.length - 1);
  times[at] = (times[at] ?? 0) + 1;
}

/**
 * The worst wait, and the one that 999 of 1000 do not exceed, in ms: upper ends of their steps.
 * @param {readonly WaitTimes[]} all of the workers
 */
export function summarizeWaits(all) {
  const sums = createWaitTimes();
  for (const times of all) times.forEach((count, step) => (sums[step] = (sums[step] ?? 0) + count));
  const total = sums.reduce((sum, count) => sum + count, 0);
  const upTo = (/** @type {number} */ share) => {
    let seen = 0;
    const step = sums.findIndex((count) => (seen += count) >= share * total && count > 0);
    return (2 ** ((step + 1) / STEPS) - 1) / 1000;
  };
  return { worstMillis: upTo(1), p999Millis: upTo(0.999) };
}
