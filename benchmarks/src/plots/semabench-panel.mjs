// @ts-check
import { core, nameOf, subjects } from '../scenarios/semabench-subjects.mjs';
import { powersOfTen, workersAxis } from './panel.mjs';

/** @typedef {import('./semabench-points.mjs').ContendedPoint} Point */
/** @typedef {import('../scenarios/semabench-subjects.mjs').Subject} Subject */

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
  'cpp-ticket/proportional': '#b35806',
  'cpp-ticket/futex': '#f5c48a',
  'cpp-array': '#1f4fd8',
  'cpp-array/futex': '#7fb2ff',
  'cpp-chain': '#159a48',
  'cpp-chain/futex': '#8fd6a8',
  'cpp-listing-3': '#0b6b34',
  'cpp-listing-3/futex': '#4fbf82',
  'cpp-monitor': '#7b3294',
  'cpp-monitor/futex': '#c2a5cf',
  'cpp-location': '#a6611a',
  'cpp-location/futex': '#dfc27d',
  'cpp-pthread': '#888888',
};

/** One after the other, so that neighbours differ. */
const shapes = [
  'circle',
  'square',
  'triangle-up',
  'diamond',
  'cross',
  'triangle-down',
  'triangle-right',
  'triangle-left',
];

/**
 * What a figure shows of each point.
 * @typedef {object} Figure
 * @property {string} name of the file, behind `semabench-`
 * @property {string} title
 * @property {Point['series']} series
 * @property {string} axis
 * @property {(point: Point) => number | null} value
 * @property {(point: Point) => [number, number]} [range] over the runs; drawn as a line
 * @property {number} [floor] of a logarithmic axis: what is less is drawn there, as it has no zero
 */

const throughput = {
  axis: 'hand-overs a second',
  value: (/** @type {Point} */ { handOversPerSecond }) => handOversPerSecond,
  range: (/** @type {Point} */ { slowest, fastest }) => /** @type {[number, number]} */ ([slowest, fastest]),
  floor: 1,
};

/** @type {readonly Figure[]} */
export const figures = [
  { name: 'throughput', title: 'Semabench: hand-overs a second', series: 'blocking', ...throughput },
  { name: 'mixed', title: 'Semabench, every other worker awaits: hand-overs a second', series: 'mixed', ...throughput },
  {
    name: 'fairness',
    title: 'Semabench: fairness',
    series: 'blocking',
    axis: 'the slowest worker over the fastest',
    value: ({ fairness }) => fairness,
    range: ({ fairness, fairnessWorst }) => [fairnessWorst, fairness],
  },
  {
    name: 'wake-ups',
    title: 'Semabench: wake-ups for each hand-over (sem_t does not tell)',
    series: 'blocking',
    axis: 'wake-ups for each hand-over',
    value: ({ wakeUpsEach }) => wakeUpsEach,
    floor: 0.01,
  },
];

/** @type {readonly { title: string, has: (subject: Subject) => boolean }[]} */
const halves = [
  { title: 'the family', has: ({ native }) => native === undefined },
  { title: 'core and C++ (dashed)', has: ({ key, native }) => native !== undefined || key.startsWith(core) },
];

/**
 * A curve for each semaphore over the number of workers, in two halves with the same axes.
 * @param {readonly Point[]} all
 * @param {Figure} figure
 * @param {string} subtitle
 * @returns {import('vega-lite').TopLevelSpec | null} null: nothing of it was measured
 */
export function semabenchPanel(all, figure, subtitle) {
  const values = all.filter(({ series }) => series === figure.series).flatMap((point) => valuesOf(point, figure));
  if (values.length === 0) return null;
  const x = workersAxis([...new Set(values.map(({ workers }) => workers))]);
  const y = axisOf(values, figure);
  const specification = {
    title: { text: figure.title, subtitle },
    hconcat: halves.map(({ title, has }) => half(title, subjects.filter(has), values, x, y)),
    resolve: { scale: { color: 'independent', shape: 'independent', strokeDash: 'independent' } },
  };
  // Its types know each channel by its literals.
  return /** @type {import('vega-lite').TopLevelSpec} */ (specification);
}

/** @typedef {{ semaphore: string, workers: number, y: number, least: number, most: number }} Value */

/** @param {Point} point @param {Figure} figure @returns {Value[]} */
function valuesOf(point, { value, range, floor = -Infinity }) {
  const subject = subjects.find(({ key }) => key === point.key);
  const y = value(point);
  if (subject === undefined || y === null) return [];
  const [least, most] = range?.(point) ?? [y, y];
  const drawn = (/** @type {number} */ number) => Math.max(floor, number);
  return [{ semaphore: nameOf(subject), workers: point.workers, y: drawn(y), least: drawn(least), most: drawn(most) }];
}

/** @param {readonly Value[]} values @param {Figure} figure */
function axisOf(values, { axis: title, floor }) {
  if (floor === undefined) return { scale: { zero: true }, axis: { title } };
  const { scale, axis } = powersOfTen(values.flatMap(({ least, most }) => [least, most]));
  return { scale, axis: { ...axis, title, ...(floor < 1 && { format: '~g' }) } };
}

/**
 * @param {string} title
 * @param {readonly Subject[]} some
 * @param {readonly Value[]} all
 * @param {object} x
 * @param {{ scale: object, axis: object }} y
 */
function half(title, some, all, x, y) {
  const drawn = some.filter((subject) => all.some(({ semaphore }) => semaphore === nameOf(subject)));
  const domain = drawn.map(nameOf);
  const of = (/** @type {readonly unknown[]} */ range) => ({ domain, range: [...range] });
  const legend = { title: null, orient: 'bottom', columns: 2, symbolSize: 90, symbolOpacity: 1, labelLimit: 400 };
  const dashes = drawn.map(({ native }) => (native === undefined ? [1, 0] : [5, 4]));
  const color = { scale: of(drawn.map(({ key }) => colours[key] ?? '#888888')), legend };
  const type = 'nominal';
  const channel = { field: 'semaphore', type };
  return {
    title: { text: title, fontSize: 14, anchor: 'middle' },
    width: 560,
    height: 420,
    data: { values: all.filter(({ semaphore }) => domain.includes(semaphore)) },
    encoding: { x, color: { ...channel, ...color } },
    layer: [
      {
        mark: { type: 'rule', strokeWidth: 1.2, opacity: 0.6 },
        encoding: { y: { field: 'least', type: 'quantitative', ...y }, y2: { field: 'most' } },
      },
      {
        mark: { type: 'line', strokeWidth: 1.8 },
        encoding: {
          y: { field: 'y', type: 'quantitative', ...y },
          strokeDash: { ...channel, scale: of(dashes), legend },
        },
      },
      {
        mark: { type: 'point', filled: true, size: 65, opacity: 1 },
        encoding: {
          y: { field: 'y', type: 'quantitative', ...y },
          shape: { ...channel, scale: of(drawn.map((_, i) => shapes[i % shapes.length])), legend },
        },
      },
    ],
  };
}
