// @ts-check
// Follows every link of the built site that stays within it: to a page, to a heading of a page, to a file or picture.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {string} folder
 * @returns {string[]}
 */
const htmlBelow = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));

/** @param {string} text */
const unescaped = (text) => decodeURI(text.replaceAll('&amp;', '&'));

/**
 * @param {string} dist
 * @param {string} base the path of the site on its host: begins and ends with a slash
 * @returns {{ links: number, problems: string[] }}
 */
export function checkLinks(dist, base) {
  const pages = new Map(
    htmlBelow(dist).map((name) => [name.replaceAll('\\', '/'), readFileSync(join(dist, name), 'utf8')]),
  );
  const anchors = new Map(
    [...pages].map(([name, html]) => [name, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))]),
  );
  /** @type {string[]} */
  const problems = [];
  let links = 0;
  for (const [name, html] of pages) {
    for (const [, target = ''] of html.matchAll(/<(?:a\s[^>]*?href|img\s[^>]*?src)="([^"]*)"/g)) {
      if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(target)) continue;
      links += 1;
      const { pathname, hash } = new URL(unescaped(target), `http://site${base}${name}`);
      const path = decodeURI(pathname).slice(base.length);
      const page = [path, `${path}.html`, `${path}index.html`, `${path}/index.html`].find((candidate) =>
        pages.has(candidate),
      );
      if (page === undefined) {
        if (path === '' || !existsSync(join(dist, path))) problems.push(`${name}: link to ${target}: no such page`);
      } else if (hash.length > 1 && anchors.get(page)?.has(decodeURIComponent(hash.slice(1))) !== true) {
        problems.push(`${name}: link to ${target}: no such heading`);
      }
    }
  }
  return { links, problems: [...new Set(problems)] };
}
