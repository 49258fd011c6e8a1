// @ts-check
// Gathers the pages: documents of the repository stay where they are read and edited, with links that work there. A
// copy of each becomes a page of the site, with its links turned to other pages, or to the repository for what is no
// page.
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { root } from '../../../scripts/workspace.mjs';
import { withLocalLinks } from '../../../tools/checks/src/markdown.mjs';
import { withTabs } from '../../../tools/checks/src/shown-code.mjs';
import { addressOf, exists, pageOf, places } from './places.mjs';

const IMAGE = /\.(svg|png|jpe?g|gif|webp)$/i;
const PICTURE = /^!\[([^\]]*)\]\((pictures\/[^)]+\.svg)\)$/gm;

/**
 * A path of the repository from a path that a document names.
 * @param {string} file
 * @param {string} path
 */
const from = (file, path) => posix.join(posix.dirname(file), decodeURI(path)).replace(/\/$/, '');

/** @param {string} file */
const read = (file) => readFileSync(join(root, file), 'utf8');

/**
 * @typedef {object} Site
 * @property {string} pages the folder of the copies
 * @property {string} origin where the repository is
 */

/**
 * @param {string} file
 * @param {string} target
 * @param {Site} site
 */
function link(file, target, { pages, origin }) {
  const [path = '', anchor] = target.split('#');
  const end = anchor === undefined ? '' : `#${anchor}`;
  // Of the site itself: these name pages that are made only when it is built.
  if (path === '' || path.startsWith('/')) return target;
  const inRepository = from(file, path);
  const folderPage = exists(`${inRepository}/README.md`) ? pageOf(`${inRepository}/README.md`) : undefined;
  const page = pageOf(inRepository) ?? folderPage;
  if (page !== undefined) return addressOf(page) + end;
  if (!exists(inRepository)) throw new Error(`${file}: link to ${target}: no such file`);
  if (IMAGE.test(inRepository)) {
    const name = inRepository.replace(/^docs\/(site\/)?/, '').replaceAll('/', '-');
    mkdirSync(join(pages, 'public', 'images'), { recursive: true });
    copyFileSync(join(root, inRepository), join(pages, 'public', 'images', name));
    return `/images/${name}`;
  }
  const view = statSync(join(root, inRepository)).isDirectory() ? 'tree' : 'blob';
  return `${origin}/${view}/main/${encodeURI(inRepository)}${end}`;
}

/**
 * A picture as part of the page, so that it takes the page's colours. Its own are for where it is shown alone. On a
 * phone the page shows the narrow form, whose text is not scaled down.
 * @param {string} title
 * @param {string} path
 */
function figure(title, path) {
  const forms = [path, join(dirname(path), 'narrow', basename(path))].map((form) => drawing(read(form)));
  return `<figure class="picture" role="img" aria-label="${title.replaceAll('"', '&quot;')}">${forms.join('')}</figure>`;
}

/** @param {string} svg */
const drawing = (svg) =>
  svg
    .replace(/<style>[^]*?<\/style>/, '')
    .replaceAll(/\n\s*/g, ' ')
    .trim();

/**
 * @param {string} file
 * @param {Site} site
 */
function copyOf(file, site) {
  const text = withTabs(read(file)).replaceAll(PICTURE, (_, title, path) =>
    figure(String(title), from(file, String(path))),
  );
  return withLocalLinks(text, (target) => link(file, target, site));
}

/**
 * @param {Site} site
 * @returns {number} how many pages
 */
export function assemble(site) {
  rmSync(site.pages, { recursive: true, force: true });
  const all = places();
  for (const { file, page } of all) {
    const target = join(site.pages, page);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, copyOf(file, site));
  }
  mkdirSync(join(site.pages, 'public'), { recursive: true });
  for (const name of ['logo.svg', 'hero.svg'])
    copyFileSync(join(root, 'docs/site/public', name), join(site.pages, 'public', basename(name)));
  return all.length;
}
