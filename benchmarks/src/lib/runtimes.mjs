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

/** The newest of its line that these benchmarks were written against. */
const versions = { 24: '24.21.0', 26: '26.10.0' };

/** @type {Runtime} */
export const currentRuntime = {
  name: `Node ${process.versions.node}`,
  path: process.execPath,
  major: Number(process.versions.node.split('.')[0]),
};

/**
 * Node of that line or newer: this process's own, else the one that `SLUICE_NODE24` or `SLUICE_NODE26` names, else (where
 * `fetch` allows) the one that npm fetches into its cache. It is no devDependency, because a user should not download it to run
 * the tests.
 * @param {keyof typeof versions} major
 * @param {{ fetch: boolean }} options
 * @returns {Promise<Runtime | null>}
 */
export async function findNode(major, { fetch }) {
  if (currentRuntime.major >= major) return currentRuntime;
  const named = process.env[`SLUICE_NODE${major}`];
  if (named) return askForRuntime(named, []);
  if (!fetch) return null;
  return askForRuntime('npm', ['exec', '--yes', `--package=node@${versions[major]}`, '--', 'node']);
}

/**
 * @param {string} program
 * @param {string[]} prefix
 * @returns {Promise<Runtime | null>}
 */
async function askForRuntime(program, prefix) {
  try {
    const question = 'JSON.stringify({ path: process.execPath, version: process.versions.node })';
    const { stdout } = await promisify(execFile)(program, [...prefix, '-p', question], { cwd: os.tmpdir(), timeout: 180_000 });
    /** @type {{ path: string, version: string }} */
    const { path, version } = JSON.parse(stdout);
    return { name: `Node ${version}`, path, major: Number(version.split('.')[0]) };
  } catch {
    return null;
  }
}
