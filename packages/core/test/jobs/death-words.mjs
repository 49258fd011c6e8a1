// @ts-check
// The words that the main thread and the workers of a death storm share, and operations on them.

/** @import { ReclaimReport } from '@sluice/core' */

/** The number of the pause that workers must make, 0 = none. */
export const PAUSE = 0;
/** Always 0: for naps. */
export const NAP = 1;
/** The main thread increments it to request a recovery of dead agents. */
export const CALLS = 8;
/** The last worker that acquired permits of each semaphore. */
export const STAMPS = 2;
/** The two words that the lock protects. */
export const PAIR = 10;
export const TALLIES = 16;
export const SLOTS = 32;
/** Words of a worker: its state, which is the number of its present pause, and its agent. */
export const SLOT_WORDS = 2;
export const STARTING = 0;
export const RUNNING = -1;
/** Its heap is almost full. */
export const CHOKING = -2;

export const TALLY_NAMES = /** @type {const} */ ([
  'operations',
  'recovered agents',
  'by workers',
  'permits restored',
  'tickets withdrawn',
  'chains finished',
  'locks orphaned',
  'recoveries interrupted',
  'blocks freed',
  'locks inherited',
  'readers refused',
  'lost patience',
  'intrusions',
]);

/** @param {Int32Array} words @param {(typeof TALLY_NAMES)[number]} name @param {number} count */
export function tally(words, name, count) {
  Atomics.add(words, TALLIES + TALLY_NAMES.indexOf(name), count);
}

/** @param {Int32Array} words @param {readonly ReclaimReport[]} reports */
export function tallyReports(words, reports) {
  for (const { permits, ticketsWithdrawn, chainsFinished, locksOrphaned, blocksFreed } of reports) {
    tally(words, 'recovered agents', 1);
    tally(
      words,
      'permits restored',
      permits.reduce((sum, { permits: count }) => sum + count, 0),
    );
    tally(words, 'tickets withdrawn', ticketsWithdrawn);
    tally(words, 'chains finished', chainsFinished);
    tally(words, 'locks orphaned', locksOrphaned.length);
    tally(words, 'blocks freed', blocksFreed);
  }
}

/** Checks the data under the lock for its new owner. @param {Int32Array} words @param {boolean} noticed */
export function lookAtPair(words, noticed) {
  const [first = 0, second = 0] = words.subarray(PAIR, PAIR + 2);
  if (noticed) words[PAIR + 1] = first;
  else if (first !== second)
    throw new Error(`the lock was acquired without a notice, and its words are ${first} and ${second}`);
}
