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
 * @property {number} fairness
 * @property {string} date
 * @property {{ cpu: string, cores: number }} machine
 */

/** @param {string} directory */
export function newestResults(directory) {
  const newest = readdirSync(directory).filter((name) => name.endsWith('-mutexbench.jsonl')).sort().at(-1);
  if (newest === undefined) throw new Error(`no results of mutexbench in ${directory}`);
  return join(directory, newest);
}

/**
 * The last result of each point in a file, with nothing outside of the lock.
 * @param {string} file
 * @returns {Point[]}
 */
export function readPoints(file) {
  /** @type {Map<string, Point>} */
  const points = new Map();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '') continue;
    /** @type {Point & { failure?: string }} */
    const point = JSON.parse(line);
    if (point.failure === undefined && point.series === 'empty') points.set(`${point.key} ${point.workers}`, point);
  }
  return [...points.values()].sort((a, b) => a.workers - b.workers);
}

/**
 * Where and how they were taken, in a line. Several runs may have added to one file: then it says what the ranges are.
 * @param {readonly Point[]} points
 */
export function provenance(points) {
  /** @param {(point: Point) => number} what */
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
