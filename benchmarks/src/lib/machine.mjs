// @ts-check
import { execFileSync } from 'node:child_process';
import os from 'node:os';

/**
 * What every result line records, so that two lines can be told apart or compared later.
 * @typedef {object} Surroundings
 * @property {{ cpu: string, cores: number, memoryGiB: number, platform: string, kernel: string }} machine
 * @property {{ node: string, v8: string, compiler: string | null }} versions
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

/** @returns {Surroundings} */
export function describeSurroundings() {
  const changes = firstLineOf('git', ['status', '--porcelain', '--untracked-files=no']);
  return {
    machine: {
      cpu: os.cpus()[0]?.model ?? 'unknown',
      cores: os.availableParallelism(),
      memoryGiB: Math.round(os.totalmem() / 2 ** 30),
      platform: `${process.platform}-${process.arch}`,
      kernel: os.release(),
    },
    versions: {
      node: process.versions.node,
      v8: process.versions.v8,
      compiler: firstLineOf(process.env.CXX ?? 'g++', ['--version']),
    },
    commit: firstLineOf('git', ['rev-parse', 'HEAD']),
    modified: changes === null ? null : changes !== '',
  };
}
