// @ts-check
// The words that all threads of a run share. They lie outside of the arena: what the primitives do cannot change them.

/** Whether the workers stop between two visits. */
export const HALTED = 0;
/** The primitives that most visits go to, as indices. */
export const FOCUS = 1;
export const FOCUSED = 3;
/** A word that no thread notifies, to sleep on. */
const NAP = 8;
/** One value for each line of a report. */
const FIRST_SLOT = 16;

/** The main thread has slot 0. A worker has one of the others, and hands it on to the worker that replaces it. */
export const SLOTS = 16;
/** Of a slot: what its thread does, which primitive it visits (index + 1; 0: none), how many visits it has ended. */
export const STATE = 0;
export const VISITING = 1;
export const VISITS = 2;
const SLOT_WORDS = 4;

export const STARTING = 0;
export const RUNNING = 1;
export const IDLE = 2;

/** The counts of each primitive. */
export const COUNTS = /** @type {const} */ ([
  'operations',
  'sleeps',
  'timeouts',
  'aborts',
  'refused',
  'inherited',
  'closed',
]);
/** @typedef {typeof COUNTS[number]} Count */

/**
 * Of a primitive: its counts, what each slot holds (of two sides, as readers and writers), and words for its own
 * checks.
 */
const HELD = COUNTS.length;
const OWN = HELD + 2 * SLOTS;
export const OWN_WORDS = 96;
const SUBJECT_WORDS = OWN + OWN_WORDS;

/** @param {number} slot */
export const slotAt = (slot) => FIRST_SLOT + slot * SLOT_WORDS;
/** @param {number} subject */
const subjectAt = (subject) => FIRST_SLOT + SLOTS * SLOT_WORDS + subject * SUBJECT_WORDS;
/** @param {number} subject @param {Count} count */
export const countAt = (subject, count) => subjectAt(subject) + COUNTS.indexOf(count);
/** @param {number} subject @param {0 | 1} side @param {number} slot */
export const heldAt = (subject, side, slot) => subjectAt(subject) + HELD + side * SLOTS + slot;
/** @param {number} subject */
export const ownAt = (subject) => subjectAt(subject) + OWN;

/** @param {number} subjects how many primitives */
export const createWords = (subjects) => new Int32Array(new SharedArrayBuffer(4 * subjectAt(subjects)));

/** Blocks the thread. @param {Int32Array} words @param {number} ms */
export function nap(words, ms) {
  Atomics.wait(words, NAP, 0, ms);
}
