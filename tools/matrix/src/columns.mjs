// @ts-check
// The columns of the matrix: a runtime, a module form and a kind of workers.
import { fetchBun, fetchDeno, fetchNode } from '../../../benchmarks/src/lib/runtimes.mjs';

/** @typedef {import('../../cases/src/tools.ts').Ending} Ending */
/** @typedef {import('../../../benchmarks/src/lib/runtimes.mjs').Runtime} Runtime */

/**
 * @typedef {object} Platform
 * @property {() => Promise<Runtime | null>} find
 * @property {readonly string[]} args before the file
 * @property {readonly ('threads' | 'web')[]} workers
 * @property {readonly Ending[]} outlived endings after which the thread of a worker runs on
 */

/** @param {20 | 22 | 24 | 26} major @returns {Platform} */
const node = (major) => ({ find: () => fetchNode(major), args: [], workers: ['threads'], outlived: [] });

/** @type {Readonly<Record<string, Platform>>} */
export const PLATFORMS = {
  node20: node(20),
  node22: node(22),
  node24: node(24),
  node26: node(26),
  bun: { find: fetchBun, args: [], workers: ['threads', 'web'], outlived: [] },
  deno: {
    find: fetchDeno,
    args: ['run', '--quiet', '-A', '--node-modules-dir=manual'],
    workers: ['threads', 'web'],
    outlived: ['sleeps', 'computes'],
  },
};

export const FORMS = /** @type {const} */ (['esm', 'cjs']);

/**
 * @typedef {object} Column
 * @property {string} key of the platform
 * @property {string} name of the runtime, with its version
 * @property {readonly string[]} command
 * @property {'esm' | 'cjs'} form
 * @property {'threads' | 'web'} workers
 * @property {readonly Ending[]} outlived
 */

/**
 * @param {string} key
 * @param {Platform} platform
 * @param {Runtime} runtime
 * @returns {Column[]}
 */
export function columnsOf(key, { args, workers, outlived }, { name, path }) {
  return workers.flatMap((kind) =>
    FORMS.map((form) => ({ key, name, command: [path, ...args], form, workers: kind, outlived })),
  );
}
