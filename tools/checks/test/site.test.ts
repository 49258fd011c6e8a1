// Tests that the site has every error, every recipe with a test, and every migration with both programs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { filesBelow, isWhole, root } from '../../../scripts/workspace.mjs';
import { anchorOf } from '../../../docs/site/build/anchor.mjs';
import { diff } from '../src/diff.mjs';
import { menu } from '../../../docs/site/build/menu.mjs';
import { addressOf, PRIMITIVES, places } from '../../../docs/site/build/places.mjs';
import { indexedText, WORDS } from '../../../docs/site/build/search.mjs';
import { anchors, fencesOfFiles } from '../src/markdown.mjs';

const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');
const pagesOf = (folder: string): string[] =>
  readdirSync(join(root, 'docs/site', folder)).filter((name) => name.endsWith('.md') && name !== 'index.md');

interface Item {
  readonly link?: string;
  readonly items?: readonly Item[];
}
const linksOf = (items: readonly Item[]): string[] =>
  items.flatMap(({ link, items: below = [] }) => [...(link === undefined ? [] : [link]), ...linksOf(below)]);

const sources = filesBelow(readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name, 'src')))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

/** Variables of the environment that are no code of an error or a warning. */
const VARIABLES = ['SLUICE_DUMP', 'SLUICE_LINTS'];

test.skipIf(!isWhole())(
  'the page about troubleshooting has every error code and class, and every warning, and no others',
  () => {
    const lines = read('docs/site/troubleshooting.md').split('\n');
    const headings = lines.filter((line) => line.startsWith('### `SLUICE_'));
    const warnings = lines.filter((line) => line.startsWith('### Warning `SLUICE_'));
    const codes = new Set([...sources.matchAll(/'(SLUICE_[A-Z_]+)'/g)].map(([, code]) => code));
    for (const variable of VARIABLES) codes.delete(variable);
    const named = new Set(
      [...sources.matchAll(/super\(\s*'(SLUICE_[A-Z_]+)',\s*'(\w+)'/g)].map(
        ([, code, name]) => `### \`${code}\`: ${name}`,
      ),
    );
    const fields = /readonly code = '(SLUICE_[A-Z_]+)';(?:\s*\/\/.*)*\s*override readonly name = '(\w+)'/g;
    for (const [, code, name] of sources.matchAll(fields)) named.add(`### \`${code}\`: ${name}`);
    expect(codes.size).toBeGreaterThan(10);
    expect(new Set(headings)).toEqual(named);
    expect(new Set([...headings, ...warnings].map((line) => /SLUICE_[A-Z_]+/.exec(line)?.[0]))).toEqual(codes);
  },
);

test.skipIf(!isWhole())('each recipe shows the files of its folder, and a test runs them', () => {
  const tests = read('examples/recipes/test/recipes.stress.ts');
  const recipes = pagesOf('recipes').map((page) => basename(page, '.md'));
  expect(recipes.length).toBeGreaterThanOrEqual(12);
  expect(
    readdirSync(join(root, 'examples/recipes'))
      .filter((name) => existsSync(join(root, 'examples/recipes', name, 'main.mjs')) || name === 'image-resize')
      .sort(),
  ).toEqual(recipes.sort());
  for (const recipe of recipes) {
    const files = readdirSync(join(root, 'examples/recipes', recipe)).map(
      (file) => `examples/recipes/${recipe}/${file}`,
    );
    const shown = fencesOfFiles(read('docs/site/recipes', `${recipe}.md`)).map(({ path }) => path);
    expect(shown.sort()).toEqual(files.sort());
    expect(tests).toMatch(new RegExp(`'${recipe}(/main\\.mjs)?['/ ]`));
  }
});

test.skipIf(!isWhole())('each page about migrating shows a program before and after, and a test runs both', () => {
  const tests = read('examples/migrating/test/migrating.stress.ts');
  const pages = pagesOf('migrating').map((page) => basename(page, '.md'));
  expect(pages.length).toBeGreaterThanOrEqual(8);
  for (const page of pages) {
    const folder = `examples/migrating/${page}`;
    expect(fencesOfFiles(read('docs/site/migrating', `${page}.md`))).toContainEqual(
      expect.objectContaining({ path: `${folder}/before.mjs`, to: `${folder}/after.mjs` }),
    );
    expect(tests).toContain(`['${page}', `);
  }
});

test('the menu of the site has every package', () => {
  const packages = readdirSync(join(root, 'packages')).filter((name) =>
    existsSync(join(root, 'packages', name, 'package.json')),
  );
  expect(PRIMITIVES.map(([name]) => name)).toEqual(expect.arrayContaining(packages));
});

test.skipIf(!isWhole())('the menu links only to existing pages, and to every page', () => {
  const linked = new Set(linksOf(Object.values(menu([])).flat()));
  const pages = new Set(places().map(({ page }) => addressOf(page)));
  expect([...linked].filter((link) => !pages.has(link) && link !== '/api/')).toEqual([]);
  expect([...pages].filter((page) => !linked.has(page) && page !== '/')).toEqual([]);
});

test.skipIf(!isWhole())('the words for the search lead to pages of the site', () => {
  const pages = new Set(places().map(({ page }) => page));
  expect(Object.keys(WORDS).filter((page) => !pages.has(page))).toEqual([]);
  const known = Object.values(WORDS).join(' ').split(' ');
  for (const word of 'back-pressure lru dedupe flight hang stuck deadlock freeze stampede throttle debounce'.split(' '))
    expect(known).toContain(word);
});

test('the search indexes prose without code, and the words that lead to a page', () => {
  const html = '<h1>Hangs</h1><p>A thread.</p><pre class="x"><code>lock()</code></pre>';
  expect(indexedText(html, 'start.md')).toBe('<h1>Hangs</h1><p>A thread.</p>');
  expect(indexedText(html, 'hang.md')).toBe(`<h1>Hangs</h1><p>${WORDS['hang.md']}</p><p>A thread.</p>`);
  expect(indexedText(html, 'decisions/001-x.md')).toBe('<h1>Hangs</h1>');
  const heading = (level: number, text: string): string =>
    `<h${level} id="x" tabindex="-1">${text} <a class="header-anchor" href="#x">&ZeroWidthSpace;</a></h${level}>`;
  const call = heading(3, 'lock()');
  const api = `<h1>Mutex</h1>${heading(2, 'Methods')}${call}${heading(4, 'Returns')}<p>Nothing.</p>${heading(5, 'Throws')}`;
  expect(indexedText(api, 'api/@sluice/mutex/classes/Mutex.md')).toBe(`<h1>Mutex</h1>${call}`);
  expect(indexedText(api, 'api/sluice/index.md')).toBe('<h1>Mutex</h1>');
});

test('a difference shows removed, added and unchanged lines, in order', () => {
  expect(diff('a\nb\nc\n', 'a\nB\nc\nd\n')).toBe('  a\n- b\n+ B\n  c\n+ d');
});

test('the site names anchors of headings like the checks of the documents', () => {
  for (const heading of [
    'Block, await or try?',
    'A `watch` does not notice',
    '`SLUICE_MISUSE`: MisuseError',
    'Over a server & more',
  ]) {
    expect(anchors(`## ${heading}`)).toEqual(new Set([anchorOf(heading.replaceAll('`', ''))]));
  }
});
