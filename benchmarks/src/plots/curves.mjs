// @ts-check
// Pictures that answer one question each: at most five curves over the number of workers, each named at its end.
import { powersOfTen, workersAxis } from './axes.mjs';

const WIDTH = 560;
const HEIGHT = 360;
/** The least distance between two names, in pixels. */
const MIN_DISTANCE = 18;
const COLOURS = ['#000000', '#1f4fd8', '#159a48', '#e08214', '#d62728'];

/** @typedef {'linear' | 'log' | 'symlog' | 'share'} Kind */
/**
 * `value`: a number of 0 or more. `scale`: `linear` from 0; `log` for positive numbers that differ by orders of magnitude;
 * `symlog` for such numbers and 0, which is drawn as 0; `share` from 0 to 1.
 * @template {{ key: string, workers: number }} Point
 * @typedef {object} Picture
 * @property {string} name
 * @property {string} question the title
 * @property {readonly (readonly [key: string, title: string])[]} curves at most five
 * @property {(point: Point) => number | null} value
 * @property {(point: Point) => [number, number]} [range] over the runs; drawn as a line
 * @property {string} axis
 * @property {Kind} scale
 * @property {string} [note] below the title
 * @property {readonly string[]} [colours] of the curves
 * @property {readonly number[]} [domain] of a logarithmic axis, where several pictures have the same
 */

/**
 * Where names must stand so that none covers another: in the order of `positions`, as near to them as can be, and within
 * `height`.
 * @param {readonly number[]} positions in pixels from the top
 * @param {number} height
 */
export function apart(positions, height) {
  const order = positions.map((_, n) => n).sort((a, b) => (positions[a] ?? 0) - (positions[b] ?? 0));
  const placed = positions.map(() => 0);
  let lowest = -Infinity;
  for (const n of order) {
    lowest = Math.max(lowest + MIN_DISTANCE, positions[n] ?? 0);
    placed[n] = lowest;
  }
  let highest = height;
  for (const n of order.reverse()) {
    const place = Math.min(placed[n] ?? 0, highest);
    placed[n] = place;
    highest = place - MIN_DISTANCE;
  }
  return placed;
}

/**
 * The two ways between a number and its pixel from the top.
 * @param {Kind} kind
 * @param {readonly [number, number]} domain
 */
function pixels(kind, [least, most]) {
  const same = (/** @type {number} */ x) => x;
  const to = { linear: same, log: Math.log, symlog: Math.log1p, share: same }[kind];
  const from = { linear: same, log: Math.exp, symlog: Math.expm1, share: same }[kind];
  const length = to(most) - to(least);
  return {
    of: (/** @type {number} */ number) => HEIGHT * (1 - (to(number) - to(least)) / length),
    at: (/** @type {number} */ pixel) => from(to(least) + length * (1 - pixel / HEIGHT)),
  };
}

/** @param {Kind} kind @param {readonly number[]} numbers */
function axisOf(kind, numbers) {
  if (kind === 'share') return { scale: { domain: [0, 1] }, axis: {} };
  if (kind === 'log') return powersOfTen(numbers);
  if (kind === 'linear') {
    const unit = 10 ** Math.floor(Math.log10(Math.max(...numbers)));
    return { scale: { domain: [0, Math.ceil(Math.max(...numbers) / unit) * unit] }, axis: { format: '~s' } };
  }
  const most = 2 ** Math.ceil(Math.log2(Math.max(1, ...numbers)));
  const values = [0, ...Array.from({ length: Math.log2(most) + 1 }, (_, n) => 2 ** n)];
  return { scale: { type: 'symlog', constant: 1, domain: [0, most] }, axis: { values, format: 'd' } };
}

/**
 * @template {{ key: string, workers: number }} Point
 * @param {readonly Point[]} points
 * @param {Picture<Point>} picture
 * @param {(drawn: readonly Point[]) => string} describe where and how the drawn points were taken
 * @returns {import('vega-lite').TopLevelSpec | null} null: nothing of it was measured
 */
export function curves(points, picture, describe) {
  const { question, curves: drawn, value, range, axis: title, scale: kind, note, colours = COLOURS, domain } = picture;
  const measured = drawn.flatMap(([key, curve]) =>
    points.flatMap((point) => {
      const y = point.key === key ? value(point) : null;
      return y === null ? [] : [{ curve, point, y }];
    }),
  );
  if (measured.length === 0) return null;
  const values = measured.map(({ curve, point, y }) => {
    const [least, most] = range?.(point) ?? [y, y];
    return { curve, workers: point.workers, y, least, most };
  });
  const provenance = describe(measured.map(({ point }) => point));
  const { scale, axis } = axisOf(kind, [...(domain ?? []), ...values.flatMap(({ least, most }) => [least, most])]);
  const [lower = 0, upper = 1] = scale.domain;
  const { of, at } = pixels(kind, [lower, upper]);
  const ends = drawn.flatMap(([, curve]) => values.filter((one) => one.curve === curve).slice(-1));
  const places = apart(
    ends.map((end) => of(end.y)),
    HEIGHT,
  );
  const type = 'quantitative';
  const y = { type, scale, axis: { ...axis, title } };
  const names = drawn.map(([, curve]) => curve);
  const specification = {
    title: { text: question, subtitle: note === undefined ? provenance : [note, provenance] },
    width: WIDTH,
    height: HEIGHT,
    encoding: {
      color: { field: 'curve', type: 'nominal', scale: { domain: names, range: [...colours] }, legend: null },
    },
    layer: [
      {
        data: { values },
        mark: { type: 'rule', strokeWidth: 1.2, opacity: 0.5 },
        encoding: { x: workersOf(values), y: { field: 'least', ...y }, y2: { field: 'most' } },
      },
      {
        data: { values },
        mark: { type: 'line', strokeWidth: 2.2, point: { size: 45 } },
        encoding: { x: workersOf(values), y: { field: 'y', ...y } },
      },
      {
        data: { values: ends.map((end, n) => ({ ...end, place: at(places[n] ?? 0) })) },
        mark: { type: 'text', align: 'left', dx: 10, baseline: 'middle', fontSize: 13 },
        encoding: {
          x: { value: WIDTH },
          y: { field: 'place', ...y },
          text: { field: 'curve', type: 'nominal' },
        },
      },
    ],
  };
  // Its types know each channel by its literals.
  return /** @type {import('vega-lite').TopLevelSpec} */ (/** @type {unknown} */ (specification));
}

/** @param {readonly { workers: number }[]} values */
const workersOf = (values) => workersAxis([...new Set(values.map(({ workers }) => workers))]);
