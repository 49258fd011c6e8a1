// @ts-check
// Which file of the repository is which page of the site.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { FACADE, filesBelow, root, workspacePackages } from '../../../scripts/workspace.mjs';

/** What most programs need, in the order of the site's menu. */
const USUAL_NAMES = ['mutex', 'core', 'bounded-buffer', 'limit', 'worker-pool'];

/** Each published package, with what its manifest says that the menu calls it. @type {ReadonlyMap<string, string>} */
const titles = new Map(
  workspacePackages(['packages']).map(({ directory, manifest }) => [
    basename(directory),
    manifest.sluice?.title ?? manifest.name,
  ]),
);

/** @param {string} name @returns {readonly [name: string, title: string]} */
const titled = (name) => [name, titles.get(name) ?? name];

/** @param {string} name @param {string} other */
const facadeLast = (name, other) => Number(name === FACADE) - Number(other === FACADE);

export const USUAL = USUAL_NAMES.filter((name) => titles.has(name)).map(titled);

/** The published packages, in the order in which the site shows them. */
export const PRIMITIVES = [
  ...USUAL,
  ...[...titles.keys()]
    .filter((name) => !USUAL_NAMES.includes(name))
    .sort(facadeLast)
    .map(titled),
];

/** For the packages themselves, and what has no documentation of its own. */
const UNLISTED = [
  './calls',
  './format',
  './internal',
  './kernel',
  './report',
  './js',
  './worker',
  './sluice.js',
  './sluice-js.js',
  './package.json',
];

/**
 * The sources of a package's entries.
 * @param {string} name of its folder
 * @returns {string[]}
 */
export function entriesOf(name) {
  const folder = join(root, 'packages', name);
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const entries = Object.keys(exports).filter((entry) => !UNLISTED.includes(entry));
  return entries.map((entry) => join(folder, 'src', `${entry === '.' ? 'index' : entry.slice(2)}.ts`));
}

/** Documents outside `docs` that are pages, too, and one with a page of another name. */
const OTHERS = new Map([
  ['README.md', 'overview.md'],
  ['SECURITY.md', 'security.md'],
  ['NOTICE.md', 'notice.md'],
  ['benchmarks/README.md', 'benchmarks.md'],
  ['docs/decisions/README.md', 'decisions/index.md'],
  // The site's own page has the name compare.md.
  ['docs/compare.md', 'features.md'],
]);

/**
 * The page that shows a document, or `undefined` if the site does not show it. Paths are relative and have slashes.
 * @param {string} file
 * @returns {string | undefined}
 */
export function pageOf(file) {
  const other = OTHERS.get(file);
  if (other !== undefined) return other;
  const [, readme] = /^packages\/([^/]+)\/README\.md$/.exec(file) ?? [];
  if (readme !== undefined) return `primitives/${readme}.md`;
  const [, example] = /^examples\/([^/]+)\/README\.md$/.exec(file) ?? [];
  if (example !== undefined) return `examples/${example}.md`;
  if (file.startsWith('docs/site/') && file.endsWith('.md')) return file.slice('docs/site/'.length);
  return file.startsWith('docs/') && file.endsWith('.md') ? file.slice('docs/'.length).toLowerCase() : undefined;
}

/**
 * The address of a page within the site.
 * @param {string} page
 */
export const addressOf = (page) => `/${page.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`;

/**
 * Every document that is a page, with its page.
 * @returns {{ file: string, page: string }[]}
 */
export function places() {
  const roots = [
    'docs',
    'packages',
    'examples',
    'benchmarks',
    ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ];
  const pages = filesBelow(roots.map((name) => join(root, name)))
    .map((path) => posix.normalize(path.slice(root.length).replaceAll('\\', '/')))
    .flatMap((file) => {
      const page = pageOf(file);
      return page === undefined ? [] : [{ file, page }];
    });
  /** @type {Map<string, string>} */
  const sources = new Map();
  for (const { file, page } of pages) {
    const other = sources.get(page);
    if (other !== undefined) throw new Error(`${file} and ${other} are the same page: ${page}`);
    sources.set(page, file);
  }
  return pages;
}

/**
 * @param {string} file
 * @returns {boolean}
 */
export const exists = (file) => existsSync(join(root, file));
