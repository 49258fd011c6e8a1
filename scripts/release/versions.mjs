// @ts-check
// What `changeset version` makes of the changesets, in a clone: the next version, which all packages share, and their
// changelogs.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { root } from '../workspace.mjs';
import { run } from './command.mjs';

/** @param {string} directory */
export const hasChangesets = (directory) =>
  readdirSync(join(directory, '.changeset')).some((file) => file.endsWith('.md') && file !== 'README.md');

/**
 * @param {string} scratch
 * @returns {string} the clone, with the versions and changelogs of the next release
 */
export function versionedClone(scratch) {
  const clone = join(scratch, 'clone');
  run('git', ['clone', '--quiet', '--shared', root, clone], scratch);
  if (hasChangesets(clone)) run(execPath, ['scripts/pnpm.mjs', 'run', 'changeset', 'version'], clone);
  if (hasChangesets(clone)) throw new Error('`changeset version` left changesets behind');
  return clone;
}

/** @param {string} directory of a package */
export function versionOf(directory) {
  const { version } = /** @type {{ version: string }} */ (
    JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  );
  return version;
}

/**
 * The one version of all packages.
 * @param {readonly string[]} directories of the packages
 */
export function commonVersion(directories) {
  const versions = new Set(directories.map(versionOf));
  const [version = ''] = versions;
  if (versions.size !== 1)
    throw new Error(
      `The packages have several versions: ${[...versions].join(', ')}. Are they all in the fixed group of .changeset/config.json?`,
    );
  return version;
}
