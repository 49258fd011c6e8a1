// @ts-check
import { choose } from '../lib/choose.mjs';

/**
 * One curve of MutexBench.
 * @typedef {object} Subject
 * @property {string} key what the command line, the plots and the bars call it: the inner lock, a slash, its capacitor
 * @property {string} title
 * @property {string} lock the inner lock, or what lock it is
 * @property {Variant} variant
 * @property {number} [since] the first line of Node that it runs on
 * @property {string[]} [flags]
 * @property {import('../subjects/subject.mjs').SubjectName} [subject] this or `native`
 * @property {import('../subjects/subject.mjs').SubjectOptions} [options]
 * @property {import('../lib/native.mjs').NativeMutex} [native]
 * @property {boolean} [spins] for as long as it waits: left out where a round takes seconds
 */

/** @typedef {'bare' | 'fractional' | '10' | '100' | '1000' | 'adaptive'} Variant */

/** @type {readonly (readonly [lock: string, title: string])[]} */
const inner = [
  ['reciprocating', 'ReciprocatingLock'],
  ['ticket', 'TicketLock'],
  ['lifo', 'LifoLock'],
  ['mcs', 'McsLock'],
  ['tts', 'TtsLock'],
];

/** @type {readonly (readonly [Variant, import('@sluice/capacitor').CapacitorLockOptions])[]} */
const capacitors = [
  ['10', { bypassLimit: 10 }],
  ['100', { bypassLimit: 100 }],
  ['1000', { bypassLimit: 1000 }],
  ['adaptive', { bypassLimit: 'adaptive' }],
  ['fractional', { bypassLimit: 10, fraction: 99 / 100 }],
];

/** @type {Record<Variant, string>} */
const suffixes = {
  bare: '',
  10: ', B = 10',
  100: ', B = 100',
  1000: ', B = 1000',
  adaptive: ', adaptive',
  fractional: ', B = 10, 99/100 around',
};

/** @type {readonly Subject[]} */
const family = inner.flatMap(([lock, title]) => {
  const subject = /** @type {import('../subjects/subject.mjs').InnerName} */ (`${lock}-lock`);
  const wrapped = capacitors.map(([variant, capacitor]) => ({
    key: `${lock}/${variant}`,
    title: `${title}${suffixes[variant]}`,
    lock,
    variant,
    subject,
    options: { capacitor },
  }));
  return [{ key: lock, title, lock, variant: 'bare', subject }, ...wrapped];
});

/** @type {readonly Subject[]} */
const peers = [
  { key: 'textbook', title: 'textbook futex mutex', lock: 'textbook', variant: 'bare', subject: 'textbook-mutex' },
  {
    key: 'v8',
    title: 'V8 Atomics.Mutex',
    lock: 'v8',
    variant: 'bare',
    subject: 'atomics-mutex',
    flags: ['--harmony-struct'],
  },
  {
    key: 'multithreading',
    title: 'multithreading Mutex',
    lock: 'multithreading',
    variant: 'bare',
    subject: 'multithreading-mutex',
    since: 21,
  },
  { key: 'cpp-tts', title: 'C++ TTS', lock: 'cpp-tts', variant: 'bare', native: 'tts' },
  { key: 'cpp-tts/10', title: 'C++ TTS, B = 10', lock: 'cpp-tts', variant: '10', native: 'capacitor' },
  {
    key: 'cpp-ticket',
    title: 'C++ Ticket, spinning',
    lock: 'cpp-ticket',
    variant: 'bare',
    native: 'ticket',
    spins: true,
  },
  {
    key: 'cpp-ticket/10',
    title: 'C++ Ticket, spinning, B = 10',
    lock: 'cpp-ticket',
    variant: '10',
    native: 'ticket-capacitor',
  },
  { key: 'cpp-pthread', title: 'C++ pthread mutex', lock: 'cpp-pthread', variant: 'bare', native: 'pthread' },
];

const subjects = [...family, ...peers];

export const keys = subjects.map(({ key }) => key);

/** Those that are named; a star stands for anything. @param {string[] | undefined} patterns */
export const chooseSubjects = (patterns) => choose('mutexbench', subjects, patterns);
