// @ts-check
import { lastOfEach, readLines } from './points.mjs';

/**
 * A point of semabench, as its result line has it.
 * @typedef {import('./points.mjs').Provenance & { key: string, series: 'blocking' | 'mixed', workers: number }
 *   & ReturnType<typeof import('../lib/semabench.mjs').summarize>} ContendedPoint
 */

/**
 * One worker alone.
 * @typedef {{ key: string, series: 'uncontended', workers: 1, pairNanos: number, ratio: number, overCore: number | null
 *   }} UncontendedPoint
 */

/**
 * The last result of each point in a file. What failed has no series, nor have lines of the time before semabench had
 * any.
 * @param {string} file
 */
export function readSemabench(file) {
  const lines = /** @type {(ContendedPoint | UncontendedPoint)[]} */ (readLines(file));
  /** @param {ContendedPoint | UncontendedPoint} point @returns {point is ContendedPoint} */
  const isContended = (point) => point.series === 'blocking' || point.series === 'mixed';
  /** @param {ContendedPoint | UncontendedPoint} point @returns {point is UncontendedPoint} */
  const isAlone = (point) => point.series === 'uncontended';
  return { contended: lastOfEach(lines.filter(isContended)), uncontended: lastOfEach(lines.filter(isAlone)) };
}

/** @typedef {ReturnType<typeof readSemabench>} SemabenchPoints */
