// @ts-check
import { subjects } from '../scenarios/semabench-subjects.mjs';
import { throughputAxis, workersAxis } from './panel.mjs';

/** @typedef {import('./semabench-points.mjs').ContendedPoint} Point */

/** C++ is dashed and has the colour of its listing's member. @type {Record<string, string>} */
const colours = {
  core: '#000000',
  'core/parking': '#777777',
  ticket: '#e08214',
  array: '#1f4fd8',
  'array/conservative': '#7fb2ff',
  chain: '#159a48',
  monitor: '#7b3fb5',
  location: '#d81bd8',
  address: '#d62728',
  lightweight: '#8c564b',
  multilane: '#17becf',
  'cpp-ticket': '#e08214',
  'cpp-ticket/futex': '#f5c48a',
  'cpp-array': '#1f4fd8',
  'cpp-array/futex': '#7fb2ff',
  'cpp-chain': '#159a48',
  'cpp-chain/futex': '#8fd6a8',
  'cpp-pthread': '#888888',
};

/**
 * What a figure shows of each point.
 * @typedef {object} Figure
 * @property {string} name of the file, behind `semabench-`
 * @property {string} title
 * @property {Point['series']} series
 * @property {string} axis
 * @property {(point: Point) => number | null} value
 * @property {boolean} logarithmic
 */

/** @type {readonly Figure[]} */
export const figures = [
  {
    name: 'throughput',
    title: 'Semabench: hand-overs a second',
    series: 'blocking',
    axis: 'hand-overs a second',
    value: ({ handOversPerSecond }) => handOversPerSecond,
    logarithmic: true,
  },
  {
    name: 'mixed',
    title: 'Semabench, every other worker awaits: hand-overs a second',
    series: 'mixed',
    axis: 'hand-overs a second',
    value: ({ handOversPerSecond }) => handOversPerSecond,
    logarithmic: true,
  },
  {
    name: 'fairness',
    title: 'Semabench: fairness',
    series: 'blocking',
    axis: 'the slowest worker over the fastest',
    value: ({ fairness }) => fairness,
    logarithmic: false,
  },
  {
    name: 'wake-ups',
    title: 'Semabench: wake-ups for each hand-over',
    series: 'blocking',
    axis: 'wake-ups for each hand-over',
    value: ({ wakeUpsEach }) => wakeUpsEach,
    logarithmic: false,
  },
];

/**
 * A curve for each semaphore over the number of workers.
 * @param {readonly Point[]} all
 * @param {Figure} figure
 * @param {string} subtitle
 * @returns {import('vega-lite').TopLevelSpec | null} null: nothing of it was measured
 */
export function semabenchPanel(all, { title, series, axis, value, logarithmic }, subtitle) {
  const points = all.filter((point) => point.series === series);
  const drawn = subjects.filter(({ key }) => points.some((point) => point.key === key && value(point) !== null));
  const values = points.flatMap((point) => {
    const subject = drawn.find(({ key }) => key === point.key);
    const y = value(point);
    // A logarithmic axis has no zero: who got nowhere is drawn at one.
    return subject && y !== null ? [{ semaphore: subject.title, workers: point.workers, y: logarithmic ? Math.max(1, y) : y }] : [];
  });
  if (values.length === 0) return null;
  const throughput = throughputAxis(values.map(({ y }) => ({ operationsPerSecond: y })));
  const domain = drawn.map((subject) => subject.title);
  return {
    title: { text: title, subtitle },
    width: 720,
    height: 440,
    data: { values },
    mark: { type: 'line', strokeWidth: 2, point: { size: 40 } },
    encoding: {
      x: workersAxis([...new Set(values.map(({ workers }) => workers))]),
      y: {
        field: 'y',
        type: 'quantitative',
        scale: logarithmic ? throughput.scale : { zero: true },
        axis: { ...(logarithmic ? throughput.axis : {}), title: axis },
      },
      color: {
        field: 'semaphore',
        type: 'nominal',
        scale: { domain, range: drawn.map(({ key }) => colours[key] ?? '#888888') },
        legend: { title: null, orient: 'right', symbolType: 'stroke', symbolSize: 500, symbolStrokeWidth: 3, labelLimit: 340 },
      },
      strokeDash: {
        field: 'semaphore',
        type: 'nominal',
        scale: { domain, range: drawn.map(({ native }) => (native === undefined ? [1, 0] : [5, 4])) },
      },
    },
  };
}
