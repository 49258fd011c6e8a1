// @ts-check
// A picture of a rate over time: Sluice in colour, its peers in grey, each named at its end, and a line where something
// happened.
import { apart } from './curves.mjs';

const WIDTH = 560;
const HEIGHT = 240;

/**
 * @typedef {object} Course
 * @property {string} title
 * @property {readonly { seconds: number, rate: number }[]} points
 */

/**
 * @param {readonly Course[]} courses Sluice's first
 * @param {{ question: string, axis: string, event: { seconds: number, text: string } }} words
 * @param {{ provenance: string, colours: readonly string[] }} style
 * @returns {import('vega-lite').TopLevelSpec}
 */
export function timeline(courses, { question, axis, event }, { provenance, colours }) {
  const values = courses.flatMap(({ title, points }) => points.map((point) => ({ ...point, title })));
  const most = Math.max(...values.map(({ rate }) => rate)) * 1.1;
  const last = Math.max(...values.map(({ seconds }) => seconds));
  const pixel = (/** @type {number} */ rate) => HEIGHT * (1 - rate / most);
  const ends = courses.map(({ title, points }) => ({ title, seconds: last, rate: points.at(-1)?.rate ?? 0 }));
  const places = apart(
    ends.map(({ rate }) => pixel(rate)),
    HEIGHT,
  );
  const x = { field: 'seconds', type: 'quantitative', axis: { title: 'seconds' }, scale: { domain: [0, last] } };
  const y = { type: 'quantitative', scale: { domain: [0, most] }, axis: { title: axis, format: '~s', tickCount: 5 } };
  const specification = {
    title: { text: question, subtitle: provenance },
    width: WIDTH,
    height: HEIGHT,
    encoding: {
      color: {
        field: 'title',
        type: 'nominal',
        scale: { domain: courses.map(({ title }) => title), range: [...colours] },
        legend: null,
      },
    },
    layer: [
      {
        data: { values: [event] },
        mark: { type: 'rule', strokeDash: [4, 4], color: '#4d4d4d' },
        encoding: { x, color: { value: '#4d4d4d' } },
      },
      {
        data: { values: [event] },
        mark: { type: 'text', align: 'left', dx: 6, baseline: 'top', fontSize: 12 },
        encoding: { x, y: { value: 4 }, text: { field: 'text' }, color: { value: '#4d4d4d' } },
      },
      { data: { values }, mark: { type: 'line', strokeWidth: 2.2 }, encoding: { x, y: { field: 'rate', ...y } } },
      {
        data: { values: ends.map((end, n) => ({ ...end, place: most * (1 - (places[n] ?? 0) / HEIGHT) })) },
        mark: { type: 'text', align: 'left', dx: 10, baseline: 'middle', fontSize: 13 },
        encoding: { x: { value: WIDTH }, y: { field: 'place', ...y }, text: { field: 'title' } },
      },
    ],
  };
  // Its types know each channel by its literals.
  return /** @type {import('vega-lite').TopLevelSpec} */ (/** @type {unknown} */ (specification));
}
