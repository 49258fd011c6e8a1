// @ts-check
// A package's manifest as it is published: with its place in the repository, and with its family at the released
// version.

import { isOurs } from '../workspace.mjs';

/** Files that a release adds to each tarball, where the package does not have them itself. */
export const ADDED = ['NOTICE.md', 'CHANGELOG.md'];

/**
 * @typedef {Record<string, unknown> & { name: string, version: string, files?: string[], dependencies?: Record<string,
 *   string> }} PackedManifest
 */

/**
 * pnpm has replaced the workspace's ranges by the versions in the working tree, which a rehearsal does not change.
 * @param {Record<string, string>} dependencies
 * @param {string} version
 */
const atVersion = (dependencies, version) =>
  Object.fromEntries(Object.entries(dependencies).map(([name, range]) => [name, isOurs(name) ? version : range]));

/**
 * @param {PackedManifest} manifest
 * @param {{ origin: string, directory: string, version: string }} release
 * @returns {PackedManifest}
 */
export function publishedManifest(manifest, { origin, directory, version }) {
  const { dependencies } = manifest;
  return {
    ...manifest,
    version,
    repository: { type: 'git', url: `git+${origin}.git`, directory },
    homepage: `${origin}/tree/HEAD/${directory}#readme`,
    bugs: { url: `${origin}/issues` },
    publishConfig: { access: 'public', provenance: true },
    files: [...(manifest.files ?? []), ...ADDED],
    ...(dependencies === undefined ? {} : { dependencies: atVersion(dependencies, version) }),
  };
}
