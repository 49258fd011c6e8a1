// @ts-check
// The pictures of MutexBench with the paper's repetitions and seconds: one question each, of at most five lines.

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

/** The three lines of a panel of the paper's Figure 1. @param {string} lock @param {string} title */
const panelOf = (lock, title) =>
  /** @type {readonly (readonly [string, string])[]} */ ([
    [lock, title],
    [`${lock}/10`, '… behind a capacitor, B = 10'],
    [`${lock}/fractional`, '… 99 of 100 attempts around it'],
  ]);

const throughput = {
  axis: 'passes a second',
  scale: /** @type {const} */ ('log'),
  value: (/** @type {Point} */ { operationsPerSecond }) => Math.max(1, operationsPerSecond),
  range: (/** @type {Point} */ { slowest, fastest }) =>
    /** @type {[number, number]} */ ([Math.max(1, slowest), Math.max(1, fastest)]),
};

const evenness = {
  axis: 'slowest over fastest',
  scale: /** @type {const} */ ('share'),
  value: (/** @type {Point} */ { fairness }) => fairness,
  range: (/** @type {Point} */ { fairness, fairnessWorst }) =>
    /** @type {[number, number]} */ ([fairnessWorst, fairness]),
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
    ...evenness,
  },
  {
    name: 'curves-spinning-ticket',
    question: 'What does a capacitor do for a ticket lock on which all threads spin?',
    note: 'The classic lock of Figure 1(b), on two cores.',
    curves: spinning,
    ...throughput,
  },
  {
    name: 'curves-lifo',
    question: 'How often do threads pass a LIFO lock?',
    curves: panelOf('lifo', 'LifoLock'),
    ...throughput,
  },
  {
    name: 'curves-lifo-fairness',
    question: 'How evenly do they pass it? The slowest thread over the fastest',
    curves: panelOf('lifo', 'LifoLock'),
    ...evenness,
  },
  {
    name: 'curves-mcs',
    question: 'How often do threads pass an MCS lock, which is fair by itself?',
    curves: panelOf('mcs', 'McsLock'),
    ...throughput,
  },
  {
    name: 'curves-reciprocating',
    question: 'How often do threads pass a Reciprocating lock?',
    curves: panelOf('reciprocating', 'ReciprocatingLock'),
    ...throughput,
  },
  {
    name: 'curves-reciprocating-fairness',
    question: 'How evenly do they pass it? The slowest thread over the fastest',
    curves: panelOf('reciprocating', 'ReciprocatingLock'),
    ...evenness,
  },
];
