// @ts-check
// The tarballs as a registry gets them: links, manifest, files. Their limits of size are check-publish's.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anchors, localLinks } from '../../tools/checks/src/markdown.mjs';
import { lintTarball } from '../../tools/checks/src/tarball.mjs';
import { run } from './command.mjs';

/** The least that each tarball contains besides its code. */
const NEEDED = ['package.json', 'README.md', 'LICENSE', 'NOTICE.md', 'CHANGELOG.md'];

/**
 * Relative links of one packed page that lead nowhere in the package.
 * @param {string} folder
 * @param {string} page
 */
export function deadLinks(folder, page) {
  const text = readFileSync(join(folder, page), 'utf8');
  return localLinks(text).filter((target) => {
    const [path = '', anchor] = decodeURI(target).split('#');
    if (path !== '') return !existsSync(join(folder, path));
    return anchor !== undefined && !anchors(text).has(anchor);
  });
}

/**
 * @param {import('./stage.mjs').Staged} staged
 * @param {string} scratch
 * @returns {Promise<{ bytes: number, problems: string[] }>}
 */
export async function inspect({ name, tarball }, scratch) {
  const folder = join(scratch, 'inspected', name);
  mkdirSync(folder, { recursive: true });
  run('tar', ['xzf', tarball, '-C', folder], scratch);
  const unpacked = join(folder, 'package');
  const missing = NEEDED.filter((file) => !existsSync(join(unpacked, file)));
  if (missing.length > 0) return { bytes: 0, problems: [`${name}: ${missing.join(', ')} not in the tarball`] };

  const pages = NEEDED.filter((file) => file.endsWith('.md'));
  const dead = pages.flatMap((page) =>
    deadLinks(unpacked, page).map((target) => `${name}: ${page}: dead link to ${target}`),
  );
  const { bytes, problems } = await lintTarball(name, tarball);
  return { bytes, problems: [...dead, ...problems] };
}
