// @ts-check
// A picture of one number for each of several subjects, from zero: Sluice in colour, its peers in grey.

const WIDTH = 460;
const STEP = 30;
const OWN = '#1f4fd8';
const PEER = '#a0a0a0';

/**
 * @typedef {object} Bar
 * @property {string} title
 * @property {number} value
 * @property {boolean} isOwn
 * @property {string} label the number, as it stands at the end of the bar
 */

/**
 * @param {readonly Bar[]} bars from the top
 * @param {{ question: string, axis: string, note?: string }} words
 * @param {string} provenance
 * @returns {import('vega-lite').TopLevelSpec}
 */
export function bars(bars, { question, axis: title, note }, provenance) {
  const y = { field: 'title', type: 'nominal', sort: null, axis: { title: null, labelLimit: 320, ticks: false } };
  const specification = {
    title: { text: question, subtitle: note === undefined ? provenance : [note, provenance] },
    width: WIDTH,
    height: { step: STEP },
    data: { values: [...bars] },
    encoding: {
      y,
      x: { field: 'value', type: 'quantitative', scale: { zero: true }, axis: { title, format: '~s', tickCount: 5 } },
    },
    layer: [
      {
        mark: { type: 'bar', height: 18 },
        encoding: { color: { condition: { test: 'datum.isOwn', value: OWN }, value: PEER } },
      },
      {
        mark: { type: 'text', align: 'left', dx: 6, fontSize: 13 },
        encoding: { text: { field: 'label', type: 'nominal' } },
      },
    ],
  };
  // Its types know each channel by its literals.
  return /** @type {import('vega-lite').TopLevelSpec} */ (/** @type {unknown} */ (specification));
}
