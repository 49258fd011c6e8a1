// @ts-check
// The pictures of MutexBench with the paper's repetitions and seconds: one question each, of at most five locks.

/** @typedef {import('./points.mjs').Point} Point */
/** @typedef {import('./curves.mjs').Picture<Point>} Picture */

/** @type {readonly (readonly [string, string])[]} */
const tts = [
  ['tts', 'TtsLock'],
  ['tts/10', 'TtsLock, B = 10'],
  ['cpp-tts', 'C++ TTS'],
  ['cpp-tts/10', 'C++ TTS, B = 10'],
];

/** @type {readonly (readonly [string, string])[]} */
const spinning = [
  ['cpp-ticket', 'C++ ticket lock, spinning'],
  ['cpp-ticket/10', '… behind a capacitor, B = 10'],
];

const throughput = {
  axis: 'passes a second',
  scale: /** @type {const} */ ('log'),
  value: (/** @type {Point} */ { operationsPerSecond }) => Math.max(1, operationsPerSecond),
  range: (/** @type {Point} */ { slowest, fastest }) =>
    /** @type {[number, number]} */ ([Math.max(1, slowest), Math.max(1, fastest)]),
};

/** @type {readonly Picture[]} */
export const mutexbenchPictures = [
  {
    name: 'curves-tts',
    question: 'How often do threads pass a test-and-test-and-set lock?',
    curves: tts,
    ...throughput,
  },
  {
    name: 'curves-tts-fairness',
    question: 'How evenly? The slowest thread over the fastest',
    curves: tts,
    axis: 'slowest over fastest',
    scale: 'share',
    value: ({ fairness }) => fairness,
    range: ({ fairness, fairnessWorst }) => [fairnessWorst, fairness],
  },
  {
    name: 'curves-spinning-ticket',
    question: 'What does a capacitor do for a ticket lock on which all threads spin?',
    note: 'The classic lock of Figure 1(b), on two cores.',
    curves: spinning,
    ...throughput,
  },
];
