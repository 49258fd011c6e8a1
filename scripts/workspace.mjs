// @ts-check
// What the scripts need to know about the workspace: where its packages are and what their inputs hash to.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * @typedef {object} Manifest
 * @property {string} name
 * @property {string} [description]
 * @property {boolean} [private]
 * @property {Record<string, unknown>} [exports]
 * @property {Record<string, string>} [scripts]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, string>} [optionalDependencies]
 * @property {Record<string, string>} [devDependencies]
 * @property {Facts} [sluice] of a published package
 */

/**
 * What a published package says of itself to the checks and to the site.
 *
 * `title`: its name in the site's menu. `rank`: it may depend on packages of a lower rank. `external`: the packages of
 * others that it may bring along. `node`: it is of Node.js alone; `nodeFiles`: these files are. `names`: how many names
 * each of its entries for the other packages may export. `nouns`: by folder of a kernel in `src`, a pattern of which each
 * step's name has a match: the names of its primitives and of their parts.
 * @typedef {{
 *   title: string, rank: number, external?: string[], node?: boolean, nodeFiles?: string[],
 *   names?: Record<string, number>, nouns?: Record<string, string>, sizes?: Size[]
 * }} Facts
 */

/**
 * What an import may cost, in bytes after gzip. `entry`: default the main entry. `export`: one name of it; default the
 * whole entry. `bar`: what it should cost; `ceiling`: what it may not pass.
 * @typedef {{ entry?: string, export?: string, bar?: number, ceiling: number }} Size
 */

/** @typedef {{ directory: string, manifest: Manifest }} WorkspacePackage */

/**
 * @param {string} path
 * @returns {Manifest}
 */
function readManifest(path) {
  return /** @type {Manifest} */ (JSON.parse(readFileSync(path, 'utf8')));
}

/** The package that has all others behind it; the only one outside of the scope. */
export const FACADE = 'sluice';

/**
 * Whether it is the name of a package of this family.
 * @param {string} name
 */
export const isOurs = (name) => name === FACADE || name.startsWith('@sluice/');

/**
 * Every workspace package, or those below one of the folders.
 * @param {string[]} folders
 * @returns {WorkspacePackage[]}
 */
export function workspacePackages(folders = ['packages', 'tools', 'benchmarks', 'examples']) {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => [folder, ...readdirSync(join(root, folder)).map((name) => join(folder, name))])
    .map((path) => join(root, path))
    .filter((directory) => existsSync(join(directory, 'package.json')))
    .map((directory) => ({ directory, manifest: readManifest(join(directory, 'package.json')) }));
}

/** Whether all published packages are there: `check:without` removes some, and with them the programs that use them. */
export function isWhole() {
  /** @type {{ fixed: string[][] }} */
  const { fixed } = JSON.parse(readFileSync(join(root, '.changeset', 'config.json'), 'utf8'));
  const there = new Set(workspacePackages(['packages']).map(({ manifest }) => manifest.name));
  return fixed.flat().every((name) => there.has(name));
}

/**
 * The folders with kernels in a package: src/kernel, and src/NAME/kernel of a kind that lies in a folder.
 * @param {string} directory
 * @returns {string[]}
 */
export function kernelFolders(directory) {
  const source = join(directory, 'src');
  if (!existsSync(source)) return [];
  return [source, ...readdirSync(source).map((name) => join(source, name))]
    .map((folder) => join(folder, 'kernel'))
    .filter((folder) => existsSync(join(folder, 'steps.ts')));
}

const SKIPPED = new Set(['node_modules', 'dist', '.cache', '.workers', 'coverage', '.git']);

/**
 * Every file at or below the paths, sorted, without what is installed or built.
 * @param {string[]} paths
 * @returns {string[]}
 */
export function filesBelow(paths) {
  return paths
    .filter((path) => existsSync(path))
    .flatMap((path) =>
      statSync(path).isDirectory()
        ? filesBelow(
            readdirSync(path)
              .filter((name) => !SKIPPED.has(name) && !name.endsWith('.generated.ts'))
              .map((name) => join(path, name)),
          )
        : [path],
    )
    .sort();
}

/**
 * One hash over names and contents.
 * @param {string[]} paths files or directories
 * @returns {string}
 */
export function fingerprint(paths) {
  const hash = createHash('sha256');
  for (const file of filesBelow(paths)) {
    const content = readFileSync(file);
    hash.update(`${relative(root, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
