// @ts-check
import { powersOfTen } from './axes.mjs';
import { curves } from './curves.mjs';
import { provenance } from './points.mjs';

/** @typedef {import('./points.mjs').Point} Point */

/** The paper's colours, and one more. Those that it does not draw are in the tables only. */
const drawn = [
  { variant: 'bare', label: 'bare', colour: '#d62728' },
  { variant: '10', label: 'B = 10', colour: '#1f4fd8' },
  { variant: 'fractional', label: 'B = 10, 99/100 around', colour: '#d81bd8' },
  { variant: 'adaptive', label: 'adaptive', colour: '#159a48' },
];

/** @type {Record<string, string>} */
export const lockTitles = {
  reciprocating: 'Reciprocating Lock',
  ticket: 'Ticket Lock',
  lifo: 'LIFO Lock',
  mcs: 'MCS Lock',
  tts: 'TTS Lock',
};

/**
 * All figures have the same axis: whole powers of ten that hold all points.
 * @param {readonly Pick<Point, 'operationsPerSecond'>[]} points
 */
export function throughputAxis(points) {
  return powersOfTen(points.map(({ operationsPerSecond }) => Math.max(1, operationsPerSecond)));
}

/**
 * One of the five panels of the paper's Figure 1, with two questions: the throughput, and the fairness.
 * @param {readonly Point[]} points all
 * @param {string} lock
 * @returns {import('vega-lite').TopLevelSpec | null} null: there are no points of that lock
 */
export function panel(points, lock) {
  const own = points.filter((point) => point.lock === lock).map((point) => ({ ...point, key: point.variant }));
  const shared = {
    curves: drawn.map(({ variant, label }) => /** @type {const} */ ([variant, label])),
    colours: drawn.map(({ colour }) => colour),
  };
  const title = lockTitles[lock] ?? lock;
  const throughput = curves(
    own,
    {
      ...shared,
      name: lock,
      question: `MutexBench, ${title}: how often do threads pass it?`,
      axis: 'passes a second',
      scale: 'log',
      domain: throughputAxis(points).scale.domain,
      value: ({ operationsPerSecond }) => Math.max(1, operationsPerSecond),
    },
    provenance,
  );
  const fairness = curves(
    own,
    {
      ...shared,
      name: lock,
      question: 'How evenly? The slowest thread over the fastest',
      axis: 'slowest over fastest',
      scale: 'share',
      value: (point) => point.fairness,
    },
    provenance,
  );
  if (throughput === null || fairness === null) return null;
  return /** @type {import('vega-lite').TopLevelSpec} */ ({ hconcat: [throughput, fairness] });
}
