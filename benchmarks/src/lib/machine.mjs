// @ts-check
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';

/**
 * What every result line records, so that two lines can be told apart or compared later.
 * @typedef {object} Surroundings
 * @property {{ cpu: string, cores: number, memoryGiB: number, platform: string, kernel: string, loadAverage: number }}
 *   machine `loadAverage` says how busy it was before
 * @property {{ node: string, v8: string, sluice: string, multithreading: string, compiler: string | null }} versions
 * @property {string | null} commit
 * @property {boolean | null} modified whether tracked files differ from that commit
 */

/**
 * @param {string} command
 * @param {string[]} args
 * @returns {string | null}
 */
export function firstLineOf(command, args) {
  try {
    const output = execFileSync(command, args, {
      cwd: new URL('.', import.meta.url),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 10_000,
    });
    return output.split('\n')[0]?.trim() ?? null;
  } catch {
    return null;
  }
}

/**
 * @param {string | URL} url
 * @returns {{ version: string, dependencies?: Record<string, string> }}
 */
function readPackage(url) {
  return JSON.parse(readFileSync(new URL(url), 'utf8'));
}

/** @returns {Surroundings} */
export function describeSurroundings() {
  const changes = firstLineOf('git', ['status', '--porcelain', '--untracked-files=no']);
  return {
    machine: {
      cpu: os.cpus()[0]?.model ?? 'unknown',
      cores: os.availableParallelism(),
      memoryGiB: Math.round(os.totalmem() / 2 ** 30),
      platform: `${process.platform}-${process.arch}`,
      kernel: os.release().split('-')[0] ?? '',
      loadAverage: os.loadavg()[0] ?? 0,
    },
    versions: {
      node: process.versions.node,
      v8: process.versions.v8,
      sluice: readPackage(import.meta.resolve('@sluice/core/package.json')).version,
      multithreading:
        readPackage(new URL('../../package.json', import.meta.url)).dependencies?.['multithreading'] ?? 'unknown',
      compiler: firstLineOf(process.env.CXX ?? 'g++', ['--version']),
    },
    commit: firstLineOf('git', ['rev-parse', 'HEAD']),
    modified: changes === null ? null : changes !== '',
  };
}
