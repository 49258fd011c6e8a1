// @ts-check
// The tarballs of a release: packed by pnpm, unpacked, completed, and packed again.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { pnpm } from '../pnpm.mjs';
import { root } from '../workspace.mjs';
import { npm, run } from './command.mjs';
import { publishedManifest } from './manifest.mjs';
import { publishedReadme } from './readme.mjs';

/** @typedef {import('../workspace.mjs').WorkspacePackage} WorkspacePackage */
/**
 * @typedef {{ origin: string, version: string, clone: string, kindOf: import('./readme.mjs').Published['kindOf'] }}
 *   Release
 */
/** @typedef {{ name: string, directory: string, staged: string, tarball: string }} Staged */

/**
 * @param {readonly WorkspacePackage[]} packages
 * @param {string} folder
 */
function packAll(packages, folder) {
  const filters = packages.flatMap(({ manifest }) => ['--filter', manifest.name]);
  const { status, output } = pnpm(['--dir', root, ...filters, 'pack', '--pack-destination', folder], 'capture');
  if (status !== 0) throw new Error(`pnpm pack failed\n${output}`);
}

/**
 * @param {string} folder
 * @param {string} name such as `sluice` or `@sluice/core`
 */
function tarballOf(folder, name) {
  const start = `${name.replace('@', '').replace('/', '-')}-`;
  const file = readdirSync(folder).find((each) => each.startsWith(start) && /^\d+\./.test(each.slice(start.length)));
  if (file === undefined) throw new Error(`${name}: no tarball in ${folder}`);
  return join(folder, file);
}

/**
 * @param {string} staged
 * @param {string} directory
 * @param {Release} release
 */
function complete(staged, directory, { origin, version, clone, kindOf }) {
  copyFileSync(join(root, 'NOTICE.md'), join(staged, 'NOTICE.md'));
  if (!existsSync(join(staged, 'LICENSE'))) copyFileSync(join(root, 'LICENSE'), join(staged, 'LICENSE'));
  const changelog = join(clone, directory, 'CHANGELOG.md');
  if (existsSync(changelog)) copyFileSync(changelog, join(staged, 'CHANGELOG.md'));

  const manifest = join(staged, 'package.json');
  const published = publishedManifest(JSON.parse(readFileSync(manifest, 'utf8')), { origin, directory, version });
  writeFileSync(manifest, `${JSON.stringify(published, null, 2)}\n`);

  const readme = join(staged, 'README.md');
  const isPacked = (/** @type {string} */ path) => existsSync(join(staged, path));
  const text = publishedReadme(readFileSync(readme, 'utf8'), {
    origin,
    tag: `v${version}`,
    directory,
    kindOf,
    isPacked,
  });
  writeFileSync(readme, text);
}

/**
 * @param {readonly WorkspacePackage[]} packages
 * @param {Release} release
 * @param {string} scratch
 * @returns {Staged[]}
 */
export function stage(packages, release, scratch) {
  const [packed, tarballs] = [join(scratch, 'packed'), join(scratch, 'tarballs')];
  mkdirSync(packed);
  mkdirSync(tarballs);
  packAll(packages, packed);
  return packages.map(({ directory: path, manifest: { name } }) => {
    const directory = relative(root, path).split(sep).join('/');
    const folder = join(scratch, 'staged', basename(path));
    mkdirSync(folder, { recursive: true });
    run('tar', ['xzf', tarballOf(packed, name), '-C', folder], scratch);
    const staged = join(folder, 'package');
    complete(staged, directory, release);
    npm(['pack', '--silent', '--ignore-scripts', '--pack-destination', tarballs], staged);
    return { name, directory, staged, tarball: tarballOf(tarballs, name) };
  });
}
