// @ts-check

/** @typedef {import('./points.mjs').Point} Point */

/** The paper's colours, and one more. Those that it does not draw are in the tables only. */
const drawn = [
  { variant: 'bare', label: 'bare', colour: '#d62728' },
  { variant: '10', label: 'wrapped, B = 10', colour: '#1f4fd8' },
  { variant: 'fractional', label: 'fractional, 99/100 around', colour: '#d81bd8' },
  { variant: 'adaptive', label: 'wrapped, adaptive', colour: '#159a48' },
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

/** A logarithmic axis from and to whole powers of ten. @param {readonly number[]} numbers */
export function powersOfTen(numbers) {
  const exponents = numbers.map(Math.log10);
  const [least, most] = [Math.floor(Math.min(...exponents)), Math.ceil(Math.max(...exponents))];
  const values = Array.from({ length: most - least + 1 }, (_, i) => 10 ** (least + i));
  return {
    scale: { type: /** @type {const} */ ('log'), domain: [10 ** least, 10 ** most] },
    axis: { values, format: '~s', labelFlush: false },
  };
}

/** @param {readonly number[]} numbers the measured values */
export function workersAxis(numbers) {
  return {
    field: 'workers',
    type: /** @type {const} */ ('quantitative'),
    scale: { type: /** @type {const} */ ('log'), base: 2, nice: false },
    axis: { title: 'workers', values: [...numbers], format: 'd', labelFlush: false },
  };
}

/**
 * One of the five panels of the paper's Figure 1: throughput solid on the left, fairness dotted on the right.
 * @param {readonly Point[]} points all
 * @param {string} lock
 * @param {string} subtitle
 * @returns {import('vega-lite').TopLevelSpec | null} null: there are no points of that lock
 */
export function panel(points, lock, subtitle) {
  const values = points.flatMap(({ workers, operationsPerSecond, fairness, ...point }) => {
    const curve = point.lock === lock && drawn.find(({ variant }) => variant === point.variant);
    return curve ? [{ workers, capacitor: curve.label, operationsPerSecond, fairness }] : [];
  });
  if (values.length === 0) return null;
  const throughput = throughputAxis(points);
  const numbers = [...new Set(values.map(({ workers }) => workers))];
  const type = /** @type {const} */ ('quantitative');
  return {
    title: { text: `MutexBench: ${lockTitles[lock] ?? lock}`, subtitle },
    width: 640,
    height: 380,
    data: { values },
    encoding: {
      x: workersAxis(numbers),
      color: {
        field: 'capacitor',
        type: 'nominal',
        scale: { domain: drawn.map(({ label }) => label), range: drawn.map(({ colour }) => colour) },
        legend: { title: null, orient: 'bottom', symbolType: 'stroke', symbolSize: 500, symbolStrokeWidth: 3 },
      },
    },
    layer: [
      {
        mark: { type: 'line', strokeWidth: 2.5, point: { size: 55 } },
        encoding: {
          y: {
            field: 'operationsPerSecond',
            type,
            scale: throughput.scale,
            axis: { ...throughput.axis, title: 'throughput, operations a second (solid)' },
          },
        },
      },
      {
        mark: {
          type: 'line',
          strokeWidth: 2,
          strokeDash: [2, 5],
          point: { size: 45, filled: false, fill: 'white', strokeDash: [1, 0] },
        },
        encoding: {
          y: {
            field: 'fairness',
            type,
            scale: { domain: [0, 1] },
            axis: { title: 'fairness, min/max (dotted)', orient: 'right', grid: false, labelFlush: false },
          },
        },
      },
    ],
    resolve: { scale: { y: 'independent' } },
  };
}
