// @ts-check
import os from 'node:os';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * @typedef {object} Runtime
 * @property {string} name
 * @property {string} path
 * @property {number} major
 */

/** The newest of its line that the benchmarks and the matrix were run with. */
const versions = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' };

/** @type {Runtime} */
export const currentRuntime = {
  name: `Node ${process.versions.node}`,
  path: process.execPath,
  major: Number(process.versions.node.split('.')[0]),
};

/**
 * Node of that line or newer: this process's own, else the one that `SLUICE_NODE24` or `SLUICE_NODE26` names, else
 * (where `fetch` allows) the one that npm fetches into its cache. It is no devDependency, because a user should not
 * download it to run the tests.
 * @param {24 | 26} major
 * @param {{ fetch: boolean }} options
 * @returns {Promise<Runtime | null>}
 */
export async function findNode(major, { fetch }) {
  if (currentRuntime.major >= major) return currentRuntime;
  const named = process.env[`SLUICE_NODE${major}`];
  if (named) return askForRuntime('Node', named, ['-p', questionFor('node')]);
  return fetch ? fetchNode(major) : null;
}

/**
 * Node of exactly that line: this process's own, or from npm's cache.
 * @param {keyof typeof versions} major
 */
export async function fetchNode(major) {
  return currentRuntime.major === major
    ? currentRuntime
    : fetchRuntime('Node', `node@${versions[major]}`, ['node', '-p', questionFor('node')]);
}

export const fetchBun = () => fetchRuntime('Bun', 'bun@1.4.5', ['bun', '-p', questionFor('bun')]);
export const fetchDeno = () => fetchRuntime('Deno', 'deno@2.9.6', ['deno', 'eval', '-p', questionFor('deno')]);

/**
 * @param {string} name
 * @param {string} packageName with its version
 * @param {string[]} command
 */
function fetchRuntime(name, packageName, command) {
  return askForRuntime(name, 'npm', ['exec', '--yes', `--package=${packageName}`, '--', ...command]);
}

/** @param {string} runtime its key in `process.versions` */
function questionFor(runtime) {
  return `JSON.stringify({ path: process.execPath, version: process.versions.${runtime} })`;
}

/**
 * @param {string} name
 * @param {string} program
 * @param {string[]} args
 * @returns {Promise<Runtime | null>}
 */
async function askForRuntime(name, program, args) {
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd: os.tmpdir(), timeout: 180_000 });
    /** @type {{ path: string, version: string }} */
    const { path, version } = JSON.parse(stdout);
    return { name: `${name} ${version}`, path, major: Number(version.split('.')[0]) };
  } catch {
    return null;
  }
}
