// @ts-check
// The pictures of the front pages: one claim each, from the newest results of its scenario.
import { show } from '../lib/report.mjs';
import { bars } from './bars.mjs';
import { curves } from './curves.mjs';
import { newestResults, provenance, readLines } from './points.mjs';
import { timeline } from './timeline.mjs';

/** @typedef {import('./points.mjs').Provenance & { subject: string, what?: string, workers?: number, pairs?: number }} Line */
/** @typedef {Line & { key: string, workers: number, pairsPerSecond: number, fairness: number }} ContendedLine */

const OWN = '#1f4fd8';
const GREYS = ['#4d4d4d', '#7f7f7f', '#b0b0b0'];
const COLOURS = [OWN, ...GREYS];

/** @type {readonly (readonly [string, string])[]} */
const MUTEXES = [
  ['Sluice Mutex', 'Mutex of Sluice'],
  ['textbook futex mutex', 'textbook mutex'],
  ['V8 Atomics.Mutex', 'Atomics.Mutex of V8'],
  ['multithreading Mutex', 'multithreading'],
];

/**
 * The pictures by name.
 * @param {string} results the folder
 * @returns {Map<string, import('vega-lite').TopLevelSpec>}
 */
export function headlines(results) {
  const linesOf = (/** @type {string} */ scenario) =>
    /** @type {(Line & Record<string, number>)[]} */ (readLines(newestResults(results, scenario)));
  return new Map([
    ...mutexes(/** @type {ContendedLine[]} */ (/** @type {unknown} */ (linesOf('contended')))),
    ...pools(linesOf('pool')),
    ...buffers(linesOf('buffer')),
    ...redis(linesOf('redis')),
    ...recoveries(/** @type {RecoveryLine[]} */ (/** @type {unknown} */ (linesOf('recovery')))),
  ]);
}

/** @param {readonly ContendedLine[]} lines @returns {[string, import('vega-lite').TopLevelSpec][]} */
function mutexes(lines) {
  const points = lines
    .filter(({ pairsPerSecond }) => typeof pairsPerSecond === 'number')
    .map((line) => ({ ...line, key: line.subject }));
  /** @param {Readonly<typeof points>} drawn */
  const where = (drawn) => provenance(drawn.map((point) => ({ ...point, seconds: 3 })));
  const shared = { curves: MUTEXES, colours: COLOURS };
  const specifications = [
    curves(
      points,
      {
        ...shared,
        name: 'mutex',
        question: 'How often do threads pass a lock?',
        note: 'Atomics.Mutex of V8 stopped in all runs with 16 workers, and has no point there.',
        axis: 'passes a second, all threads',
        scale: 'linear',
        value: ({ pairsPerSecond }) => pairsPerSecond,
      },
      where,
    ),
    curves(
      points,
      {
        ...shared,
        name: 'mutex-fairness',
        question: 'How evenly? The slowest thread over the fastest',
        axis: 'slowest over fastest',
        scale: 'share',
        value: ({ fairness }) => fairness,
      },
      where,
    ),
  ];
  return specifications.flatMap((one, n) => (one === null ? [] : [[n === 0 ? 'mutex' : 'mutex-fairness', one]]));
}

/**
 * @param {readonly (Line & Record<string, number>)[]} lines
 * @param {readonly (readonly [subject: string, title: string])[]} subjects
 * @param {(line: Line & Record<string, number>) => boolean} has
 * @param {string} field
 * @param {string} [unit]
 */
function barsOf(lines, subjects, has, field, unit = '') {
  return subjects.flatMap(([subject, title], n) => {
    const line = lines.find((one) => one.subject === subject && has(one));
    const value = line?.[field];
    return typeof value === 'number' ? [{ title, value, isOwn: n === 0, label: `${show(value)}${unit}` }] : [];
  });
}

/** @param {readonly (Line & Record<string, number>)[]} lines @returns {[string, import('vega-lite').TopLevelSpec][]} */
function pools(lines) {
  const subjects = /** @type {const} */ ([
    ['sluice', 'WorkerPool of Sluice'],
    ['piscina', 'piscina'],
    ['tinypool', 'tinypool'],
  ]);
  const where = provenanceOf(lines);
  const single = 'single tasks, one after the other';
  return [
    [
      'pool-tasks',
      bars(
        barsOf(lines, subjects, ({ what }) => what === 'empty task', 'perSecond'),
        { question: 'How many empty tasks does a pool run a second?', axis: 'tasks a second, two workers' },
        where,
      ),
    ],
    [
      'pool-latency',
      bars(
        barsOf(lines, subjects, ({ what }) => what === single, 'p99Micros', ' µs'),
        { question: 'How long does the slowest of a hundred single tasks take?', axis: 'µs, 99th percentile' },
        where,
      ),
    ],
  ];
}

/** @param {readonly (Line & Record<string, number>)[]} lines @returns {[string, import('vega-lite').TopLevelSpec][]} */
function buffers(lines) {
  const subjects = /** @type {const} */ ([
    ['BoundedBuffer, push and pop', 'BoundedBuffer of Sluice'],
    ['a ring by hand, for one of each', 'a ring by hand, one to one only'],
    ['postMessage', 'postMessage'],
    ['multithreading channel', 'channel of multithreading'],
  ]);
  const one = barsOf(lines, subjects, ({ what, pairs }) => what === 'int32' && pairs === 1, 'perSecond');
  const words = { question: 'How many numbers go from thread to thread a second?', axis: 'values a second' };
  return [['buffer', bars(one, words, provenanceOf(lines))]];
}

/** @param {readonly (Line & Record<string, number>)[]} lines @returns {[string, import('vega-lite').TopLevelSpec][]} */
function redis(lines) {
  const subjects = /** @type {const} */ ([
    ['sluice mutex', 'mutex of @sluice/redis'],
    ['redis-semaphore Mutex', 'redis-semaphore'],
    ['redlock, 10 ms', 'redlock'],
    ['redlock-universal, 100 ms', 'redlock-universal'],
  ]);
  const words = {
    question: 'How evenly do processes get a lock of a Redis server?',
    axis: 'turns of the slowest process over those of the fastest',
  };
  return [
    [
      'redis',
      bars(
        barsOf(lines, subjects, ({ what }) => what === 'saturated', 'fairness'),
        words,
        provenanceOf(lines),
      ),
    ],
  ];
}

/**
 * @typedef {Line & { perSecond: readonly number[], sliceMs: number, killAfter: number }} RecoveryLine
 */

/** The slices of a result that make one point: a slice alone shows each turn of the scheduler. */
const SLICES_OF_POINT = 5;

/** @param {readonly RecoveryLine[]} lines @returns {[string, import('vega-lite').TopLevelSpec][]} */
function recoveries(lines) {
  /** @type {readonly [name: string, what: string, titles: ReadonlyMap<string, string>, question: string, axis: string][]} */
  const pictures = [
    [
      'recovery-pool',
      'pool',
      new Map([
        ['WorkerPool', 'WorkerPool of Sluice'],
        ['piscina', 'piscina'],
      ]),
      'A worker of a pool is killed: how many tasks still run?',
      'tasks a second, two workers',
    ],
    [
      'recovery-lock',
      'lock',
      new Map([
        ['Mutex', 'Mutex of Sluice'],
        ['textbook mutex', 'textbook mutex'],
      ]),
      'A worker is killed inside a lock: do the others go on?',
      'passes a second, four threads',
    ],
  ];
  return pictures.map(([name, what, titles, question, axis]) => {
    const drawn = [...titles.keys()].flatMap((subject) => {
      const line = lines.findLast((one) => one.what === what && one.subject === subject);
      return line === undefined ? [] : [line];
    });
    const [first] = drawn;
    const courses = drawn.map((line) => ({ title: titles.get(line.subject) ?? line.subject, points: pointsOf(line) }));
    const seconds = first === undefined ? 0 : (first.killAfter * first.sliceMs) / 1000;
    const event = { seconds, text: 'one is killed' };
    const style = { provenance: provenanceOf(drawn), colours: COLOURS };
    return [name, timeline(courses, { question, axis, event }, style)];
  });
}

/** @param {RecoveryLine} line */
function pointsOf({ perSecond, sliceMs }) {
  const points = [];
  for (let n = 0; n + SLICES_OF_POINT <= perSecond.length; n += SLICES_OF_POINT) {
    const rates = perSecond.slice(n, n + SLICES_OF_POINT);
    const rate = rates.reduce((sum, one) => sum + one, 0) / rates.length;
    points.push({ seconds: ((n + SLICES_OF_POINT / 2) * sliceMs) / 1000, rate });
  }
  return points;
}

/** @param {readonly Line[]} lines */
function provenanceOf(lines) {
  const [first] = lines;
  const { date = '', machine = { cores: 0, cpu: '' } } = first ?? {};
  const runtimes = [...new Set(lines.flatMap(({ runtime = [] }) => runtime))].join(', ');
  return [`${date.slice(0, 10)}, ${machine.cores} cores (${machine.cpu})`, ...(runtimes === '' ? [] : [runtimes])].join(
    ', ',
  );
}
