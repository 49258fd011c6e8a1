// @ts-check

/**
 * For each admission of a record, how many were admitted before it that had arrived after it. The record holds, in the
 * order of admission, the number that each drew when it came: 0 to n - 1, each once.
 * @param {Int32Array} arrivals
 * @returns {Uint32Array}
 */
export function bypasses(arrivals) {
  const passed = new Uint32Array(arrivals.length);
  // The arrivals that still wait and came before the youngest admitted one, in order: never more than there are
  // workers.
  /** @type {number[]} */
  const waiting = [];
  let youngest = -1;
  for (let admitted = 0; admitted < arrivals.length; admitted++) {
    const arrival = arrivals[admitted] ?? 0;
    for (; youngest < arrival; youngest++) waiting.push(youngest + 1);
    const earlier = waiting.lastIndexOf(arrival);
    waiting.splice(earlier, 1);
    // Of the `admitted` before it, the earlier arrivals are all earlier ones except those that still wait.
    passed[admitted] = admitted - (arrival - earlier);
  }
  return passed;
}

/**
 * @typedef {object} Bypass
 * @property {number} admissions how many the record has
 * @property {number} worst
 * @property {number} p999 999 of 1000 admissions were overtaken by at most so many
 */

/**
 * @param {Int32Array} arrivals
 * @returns {Bypass | null} null: nothing was recorded
 */
export function summarizeBypass(arrivals) {
  if (arrivals.length === 0) return null;
  const sorted = bypasses(arrivals).sort();
  const at = (/** @type {number} */ share) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { admissions: sorted.length, worst: at(1), p999: at(0.999) };
}
