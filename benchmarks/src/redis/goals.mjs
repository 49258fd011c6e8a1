// @ts-check
// What each scenario is to reach, in ratios between its rows.

/**
 * @typedef {object} Row
 * @property {number} perSecond
 * @property {number} fairness
 * @property {number} least passes of the waiter that passed least often
 * @property {number} p50
 * @property {number} p99
 * @property {number} commands for each pass
 * @property {number} serverMicros of CPU for each pass
 */
/** @typedef {(name: string) => Row} Rows */
/** @typedef {{ text: string, least?: number, most?: number, of: (row: Rows) => number }} Goal */

const STRICT = 'sluice mutex';
const B16 = 'sluice mutex, bypass 16';
const STICKY = 'sluice mutex, bypass 16, linger 1 s';
const RS = 'redis-semaphore Mutex';

/** @type {Record<string, readonly Goal[]>} */
export const GOALS = {
  saturated: [
    {
      text: 'hand-overs/s, strict, over redis-semaphore',
      least: 1.05,
      of: (row) => row(STRICT).perSecond / row(RS).perSecond,
    },
    {
      text: 'hand-overs/s, bypass 16, over redis-semaphore',
      least: 1.3,
      of: (row) => row(B16).perSecond / row(RS).perSecond,
    },
    { text: 'fairness, strict', least: 0.95, of: (row) => row(STRICT).fairness },
    { text: 'fairness, bypass 16', least: 0.9, of: (row) => row(B16).fairness },
    { text: 'p99, strict, over redis-semaphore', most: 0.15, of: (row) => row(STRICT).p99 / row(RS).p99 },
    { text: 'commands for each hand-over, strict', most: 2.1, of: (row) => row(STRICT).commands },
    { text: 'commands for each hand-over, bypass 16', most: 0.2, of: (row) => row(B16).commands },
  ],
  think: [
    {
      text: 'hand-overs/s, strict, over redis-semaphore',
      least: 1.3,
      of: (row) => row(STRICT).perSecond / row(RS).perSecond,
    },
    {
      text: 'hand-overs/s, bypass 16 and linger, over redis-semaphore',
      least: 1.6,
      of: (row) => row(STICKY).perSecond / row(RS).perSecond,
    },
    { text: 'p99, strict, over redis-semaphore', most: 0.25, of: (row) => row(STRICT).p99 / row(RS).p99 },
  ],
  crowd: [
    { text: 'commands for each hand-over, strict', most: 2.5, of: (row) => row(STRICT).commands },
    { text: 'commands for each hand-over, bypass 16', most: 0.2, of: (row) => row(B16).commands },
    { text: 'passes of the waiter that passed least often, strict', least: 1, of: (row) => row(STRICT).least },
    // A round: each of the 256 waiters once.
    {
      text: 'p99, strict, in rounds of the line',
      most: 1.2,
      of: (row) => (row(STRICT).p99 / 1000) * (row(STRICT).perSecond / 256),
    },
  ],
  semaphore: [
    {
      text: 'passes/s of four permits, strict, over redis-semaphore',
      least: 1.15,
      of: (row) => row('sluice semaphore').perSecond / row('redis-semaphore Semaphore').perSecond,
    },
  ],
  uncontended: [
    {
      text: 'pairs/s, strict, over two PINGs',
      least: 0.65,
      of: (row) => row(STRICT).perSecond / row('two PINGs').perSecond,
    },
    {
      text: 'pairs/s, with linger, over two PINGs',
      least: 100,
      of: (row) => row(STICKY).perSecond / row('two PINGs').perSecond,
    },
    {
      text: 'CPU of the server for each pair, strict, over redis-semaphore',
      most: 1.5,
      of: (row) => row(STRICT).serverMicros / row(RS).serverMicros,
    },
  ],
};

/**
 * What became of a goal: the median of its ratios within each round.
 *
 * @param {Goal} goal
 * @param {readonly Rows[]} rounds
 * @returns {import('../lib/report.mjs').Bar}
 */
export function verdict({ text, least, most, of }, rounds) {
  const value = median(rounds.map(of));
  const met = value >= (least ?? -Infinity) && value <= (most ?? Infinity);
  return { name: text, limit: least === undefined ? `<= ${most}` : `>= ${least}`, value, met };
}

/** @param {readonly number[]} numbers */
export const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
