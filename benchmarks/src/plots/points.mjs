// @ts-check
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A point of MutexBench, as its result line has it.
 * @typedef {object} Point
 * @property {string} key
 * @property {string} subject
 * @property {string} lock
 * @property {import('../scenarios/mutexbench-subjects.mjs').Variant} variant
 * @property {'empty' | 'private'} series
 * @property {string} runtime
 * @property {number} workers
 * @property {number} seconds
 * @property {number} repetitions
 * @property {number} operationsPerSecond
 * @property {number} slowest passes a second in the slowest run
 * @property {number} fastest
 * @property {number} fairness
 * @property {number} fairnessWorst
 * @property {string} date
 * @property {{ cpu: string, cores: number }} machine
 */

/** There is nothing to draw. */
export class NoResults extends Error {}

/** @typedef {Pick<Point, 'date' | 'machine' | 'runtime' | 'seconds' | 'repetitions'>} Provenance */

/** @param {string} directory @param {string} scenario */
export function newestResults(directory, scenario = 'mutexbench') {
  const newest = readdirSync(directory)
    .filter((name) => name.endsWith(`-${scenario}.jsonl`))
    .sort()
    .at(-1);
  if (newest === undefined) throw new NoResults(`no results of ${scenario} in ${directory}`);
  return join(directory, newest);
}

/**
 * The last result of each point in a file, with nothing outside of the lock.
 * @param {string} file
 * @returns {Point[]}
 */
export function readPoints(file) {
  // What failed has no series.
  return lastOfEach(/** @type {Point[]} */ (readLines(file)).filter(({ series }) => series === 'empty'));
}

/** The results in a file. @param {string} file @returns {unknown[]} */
export function readLines(file) {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => /** @type {unknown} */ (JSON.parse(line)));
}

/**
 * Each point only as it was measured last.
 * @template {{ key: string, series: string, workers: number }} Point
 * @param {readonly Point[]} results
 * @returns {Point[]}
 */
export function lastOfEach(results) {
  const points = new Map(results.map((point) => [`${point.key} ${point.series} ${point.workers}`, point]));
  return [...points.values()].sort((a, b) => a.workers - b.workers);
}

/**
 * Where and how they were taken, in a line. Several runs may have added to one file: then it says what the ranges are.
 * @param {readonly Provenance[]} points
 */
export function provenance(points) {
  /** @param {(point: Provenance) => number} what */
  const range = (what) => {
    const values = points.map(what);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return least === most ? String(least) : `${least} to ${most}`;
  };
  const [first] = points;
  const date = first?.date.slice(0, 10) ?? '';
  const runtimes = [...new Set(points.map(({ runtime }) => runtime))].join(', ');
  const machine = `${range((point) => point.machine.cores)} cores (${first?.machine.cpu ?? ''})`;
  const times = `${range(({ seconds }) => seconds)} s each, median of ${range(({ repetitions }) => repetitions)}`;
  return `${date}, ${machine}, ${runtimes}; ${times}`;
}
