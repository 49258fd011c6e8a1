// @ts-check
import { lockTitles, throughputAxis } from './panel.mjs';

/** @typedef {import('./points.mjs').Point} Point */

/** @type {readonly { variant: Point['variant'], title: string, shape: string }[]} */
const capacitors = [
  { variant: 'bare', title: 'none', shape: 'circle' },
  { variant: '10', title: 'B = 10', shape: 'square' },
  { variant: '100', title: 'B = 100', shape: 'diamond' },
  { variant: '1000', title: 'B = 1000', shape: 'triangle-up' },
  { variant: 'adaptive', title: 'adaptive', shape: 'cross' },
  { variant: 'fractional', title: 'B = 10, 99/100 around', shape: 'triangle-down' },
];

/** One colour for each lock. @type {Record<string, { title: string, colour: string }>} */
const locks = {
  reciprocating: { title: lockTitles['reciprocating'] ?? '', colour: '#1f4fd8' },
  ticket: { title: lockTitles['ticket'] ?? '', colour: '#e08214' },
  lifo: { title: lockTitles['lifo'] ?? '', colour: '#7b3fb5' },
  mcs: { title: lockTitles['mcs'] ?? '', colour: '#159a48' },
  tts: { title: lockTitles['tts'] ?? '', colour: '#d62728' },
  textbook: { title: 'textbook futex mutex', colour: '#8c564b' },
  v8: { title: 'V8 Atomics.Mutex', colour: '#e377c2' },
  multithreading: { title: 'npm multithreading', colour: '#888888' },
  'cpp-tts': { title: 'C++ TTS', colour: '#17becf' },
  'cpp-pthread': { title: 'C++ pthread', colour: '#222222' },
};

/** Where the machine is crowded, very crowded, and beyond all reason. */
const wanted = [4, 16, 64];

/**
 * Throughput against fairness over all locks: a panel for each number of workers. What is good is up and to the right.
 * @param {readonly Point[]} points all
 * @param {string} subtitle
 * @returns {import('vega-lite').TopLevelSpec | null}
 */
export function scatter(points, subtitle) {
  const values = points.flatMap(({ lock, variant, workers, operationsPerSecond, fairness }) => {
    const kind = locks[lock];
    if (!kind || !wanted.includes(workers)) return [];
    const capacitor = capacitors.find((one) => one.variant === variant)?.title;
    return [{ lock: kind.title, capacitor, workers: `${workers} workers`, operationsPerSecond, fairness }];
  });
  if (values.length === 0) return null;
  const throughput = throughputAxis(points);
  const present = Object.values(locks).filter(({ title }) => values.some(({ lock }) => lock === title));
  return {
    title: { text: 'MutexBench: throughput against fairness', subtitle },
    data: { values },
    facet: {
      column: { field: 'workers', type: 'nominal', sort: wanted.map((workers) => `${workers} workers`), title: null },
    },
    spec: {
      width: 330,
      height: 420,
      mark: { type: 'point', size: 100, filled: true, opacity: 0.75 },
      encoding: {
        x: {
          field: 'fairness',
          type: 'quantitative',
          scale: { domain: [0, 1] },
          axis: { title: 'fairness, min/max', tickCount: 6, labelFlush: false },
        },
        y: {
          field: 'operationsPerSecond',
          type: 'quantitative',
          scale: throughput.scale,
          axis: { ...throughput.axis, title: 'throughput, operations a second' },
        },
        color: {
          field: 'lock',
          type: 'nominal',
          scale: { domain: present.map(({ title }) => title), range: present.map(({ colour }) => colour) },
          legend: { title: 'lock' },
        },
        shape: {
          field: 'capacitor',
          type: 'nominal',
          scale: { domain: capacitors.map(({ title }) => title), range: capacitors.map(({ shape }) => shape) },
          legend: { title: 'capacitor', symbolFillColor: '#555' },
        },
      },
    },
  };
}
