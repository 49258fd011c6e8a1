// @ts-check
// Samples of the memory, and whether they grow.
import { readdirSync } from 'node:fs';
import process from 'node:process';

/** @import { Arena } from '@sluice/core' */

/** The samples, each with the maximum growth during the last two thirds of a run, in the unit that the page shows. */
export const BOUNDS = /** @type {const} */ ({
  rss: { most: 32, unit: 'MiB' },
  heap: { most: 8, unit: 'MiB' },
  external: { most: 8, unit: 'MiB' },
  arena: { most: 1, unit: 'MiB' },
  elements: { most: 256, unit: '' },
  blocks: { most: 16, unit: '' },
  handles: { most: 4, unit: '' },
  // Node.js 20 leaves a module's file open if the worker that loads it is killed at that moment. Sluice opens no files.
  files: { most: 16, unit: '' },
});
/** @typedef {keyof typeof BOUNDS} Measure */
/** @typedef {Record<Measure, number>} Memory */

const MIB = 2 ** 20;

/** @param {number} bytes */
const inMib = (bytes) => Math.round((bytes / MIB) * 100) / 100;

/** @param {readonly Arena[]} arenas @returns {Memory} */
export function sampleMemory(arenas) {
  const { rss, heapUsed, external } = process.memoryUsage();
  const reports = arenas.map((arena) => arena.inspect());
  return {
    rss: inMib(rss),
    heap: inMib(heapUsed),
    external: inMib(external),
    arena: inMib(reports.reduce((sum, { used }) => sum + used, 0)),
    elements: reports.reduce((sum, { elements }) => sum + elements.total, 0),
    blocks: reports.reduce((sum, { blocks }) => sum + blocks.filter(({ kind }) => kind !== 'free').length, 0),
    handles: process.getActiveResourcesInfo().length,
    files: openFiles(),
  };
}

/** 0 where the platform does not list them. */
function openFiles() {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}

/**
 * The slope of a series: the median of the slopes between all pairs (Theil 1950, Sen 1968). A few samples far off do
 * not change it.
 * @param {readonly (readonly [x: number, y: number])[]} points
 */
export function slopeOf(points) {
  const slopes = points.flatMap(([x, y], i) => points.slice(i + 1).map(([x2, y2]) => (y2 - y) / (x2 - x)));
  slopes.sort((a, b) => a - b);
  return slopes[Math.floor(slopes.length / 2)] ?? 0;
}

/** A shorter run has no verdict. */
const SHORTEST_S = 600;

/**
 * @typedef {{ measure: Measure, first: number, last: number, largest: number, growth: number, most: number, unit:
 *   string, verdict: 'met' | 'missed' | 'too short' }} Verdict
 */

/**
 * Whether each measure is flat: over the last two thirds of the run its slope amounts to no more than its bound.
 * @param {readonly { seconds: number, memory: Memory }[]} samples
 * @returns {Verdict[]}
 */
export function verdicts(samples) {
  const late = samples.slice(Math.floor(samples.length / 3));
  const seconds = (late.at(-1)?.seconds ?? 0) - (late[0]?.seconds ?? 0);
  return /** @type {[Measure, (typeof BOUNDS)[Measure]][]} */ (Object.entries(BOUNDS)).map(
    ([measure, { most, unit }]) => {
      const values = samples.map(({ memory }) => memory[measure]);
      const growth = slopeOf(late.map((sample) => [sample.seconds, sample.memory[measure]])) * seconds;
      const [first = 0] = values;
      const verdict = (samples.at(-1)?.seconds ?? 0) < SHORTEST_S ? 'too short' : growth <= most ? 'met' : 'missed';
      return {
        measure,
        first,
        last: values.at(-1) ?? 0,
        largest: Math.max(0, ...values),
        growth: Math.round(growth * 100) / 100,
        most,
        unit,
        verdict,
      };
    },
  );
}
