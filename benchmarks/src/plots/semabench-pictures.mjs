// @ts-check
// The pictures of semabench: one question each, of at most five semaphores. The tables of its page have all of them.

/** @typedef {import('./semabench-points.mjs').ContendedPoint} Point */
/** @typedef {import('./curves.mjs').Picture<Point>} Picture */

/** @type {readonly (readonly [string, string])[]} */
const listings = [
  ['core', 'Semaphore'],
  ['ticket', 'TicketSemaphore (Listing 1)'],
  ['array', 'WaitingArraySemaphore (2)'],
  ['chain', 'ChainSemaphore (3)'],
];

/** @type {readonly (readonly [string, string])[]} */
const ordered = [
  ['core', 'Semaphore'],
  ['chain', 'ChainSemaphore (3)'],
  ['monitor', 'MonitorSemaphore (4)'],
  ['location', 'LocationSemaphore (5)'],
];

/** @type {readonly (readonly [string, string])[]} */
const unordered = [
  ['core', 'Semaphore'],
  ['address', 'AddressSemaphore *'],
  ['lightweight', 'LightweightSemaphore *'],
  ['multilane', 'MultilaneSemaphore *'],
];

const NO_ORDER = '* promises no order: running threads pass it among themselves.';

const throughput = {
  axis: 'hand-overs a second',
  scale: /** @type {const} */ ('log'),
  value: (/** @type {Point} */ { handOversPerSecond }) => Math.max(1, handOversPerSecond),
  range: (/** @type {Point} */ { slowest, fastest }) =>
    /** @type {[number, number]} */ ([Math.max(1, slowest), Math.max(1, fastest)]),
};

const fairness = {
  axis: 'slowest over fastest',
  scale: /** @type {const} */ ('share'),
  value: (/** @type {Point} */ point) => point.fairness,
  range: (/** @type {Point} */ point) => /** @type {[number, number]} */ ([point.fairnessWorst, point.fairness]),
};

/** Of the whole family, from the newest results of semabench. @type {readonly (Picture & Pick<Point, 'series'>)[]} */
export const familyPictures = [
  {
    name: 'ordered',
    series: 'blocking',
    question: 'How often does a permit change hands, in order?',
    curves: ordered,
    ...throughput,
  },
  {
    name: 'unordered',
    series: 'blocking',
    question: 'How often does it without a strict order?',
    curves: unordered,
    note: NO_ORDER,
    ...throughput,
  },
  {
    name: 'unordered-fairness',
    series: 'blocking',
    question: 'How evenly, without a strict order?',
    curves: unordered,
    note: NO_ORDER,
    ...fairness,
  },
  {
    name: 'mixed',
    series: 'mixed',
    question: 'How often, if every other worker awaits?',
    curves: [...ordered, ['address', 'AddressSemaphore *']],
    note: NO_ORDER,
    ...throughput,
  },
];

/** The papers' own curves, with the papers' repetitions and seconds. @type {readonly Picture[]} */
export const curvePictures = [
  {
    name: 'curves-javascript',
    question: 'How often does a permit change hands, in JavaScript?',
    curves: listings,
    ...throughput,
  },
  {
    name: 'curves-cpp',
    question: 'How often does a permit change hands, in C++?',
    curves: [
      ['cpp-ticket/futex', 'Listing 1'],
      ['cpp-array/futex', 'Listing 2'],
      ['cpp-listing-3/futex', 'Listing 3'],
      ['cpp-monitor/futex', 'Listing 4'],
      ['cpp-location/futex', 'Listing 5'],
    ],
    note: 'All sleep on a futex.',
    ...throughput,
  },
  {
    name: 'curves-cpp-others',
    question: "How often, in C++, at the core's algorithm and at sem_t?",
    curves: [
      ['cpp-listing-3/futex', 'Listing 3'],
      ['cpp-chain/futex', "the core's algorithm"],
      ['cpp-pthread', 'sem_t *'],
    ],
    note: `All sleep on a futex. ${NO_ORDER}`,
    ...throughput,
  },
  {
    name: 'curves-cpp-spinning',
    question: 'How often, in C++, if all waiters spin?',
    curves: [
      ['cpp-ticket', 'Listing 1'],
      ['cpp-ticket/proportional', '… delay by distance'],
      ['cpp-array', 'Listing 2'],
      ['cpp-listing-3', 'Listing 3'],
      ['cpp-location', 'Listing 5'],
    ],
    note: 'The paper has a core for each thread; here it is two for all.',
    ...throughput,
  },
  {
    name: 'curves-fairness',
    question: 'How fair is it? The slowest worker over the fastest',
    curves: [...listings, ['cpp-pthread', 'C++ sem_t *']],
    note: NO_ORDER,
    ...fairness,
  },
  {
    name: 'curves-wake-ups',
    question: 'How many threads wake for each hand-over?',
    curves: listings,
    axis: 'wake-ups for each hand-over',
    scale: 'symlog',
    value: ({ wakeUpsEach }) => wakeUpsEach,
  },
];
