// @ts-check
// The menu beside the pages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/workspace.mjs';
import { addressOf, PRIMITIVES, places } from './places.mjs';

/** @typedef {{ text: string, link?: string, items?: Item[], collapsed?: boolean }} Item */

/**
 * The first heading of a document, without what Markdown marks in it.
 * @param {string} file
 */
const titleOf = (file) => (/^# (.+)$/m.exec(readFileSync(join(root, file), 'utf8'))?.[1] ?? file).replaceAll(/[`*]/g, '');

/**
 * The pages of a folder of the site, in the order of their names, or in the given order.
 * @param {string} folder
 * @returns {Item[]}
 */
const below = (folder) =>
  places()
    .filter(({ page }) => page.startsWith(`${folder}/`) && !page.endsWith('/index.md'))
    .map(({ file, page }) => ({ text: titleOf(file), link: addressOf(page) }))
    .sort((one, other) => (one.link < other.link ? -1 : 1));

const primitives = PRIMITIVES.map(([name = '', text = '']) => ({ text, link: `/primitives/${name}` }));

/**
 * @param {Item[]} api
 * @returns {Record<string, Item[]>}
 */
export function menu(api) {
  const guides = [
    {
      text: 'Guide',
      items: [
        { text: 'Start', link: '/start' },
        { text: 'Choosing', link: '/choosing' },
        { text: 'How it works', link: '/how-it-works' },
        { text: 'Troubleshooting', link: '/troubleshooting' },
        { text: 'Compare', link: '/compare' },
      ],
    },
    { text: 'Primitives', items: primitives.slice(0, 6) },
    { text: 'Primitives for experts', collapsed: true, items: primitives.slice(6) },
    { text: 'Recipes', link: '/recipes/', collapsed: true, items: below('recipes') },
    { text: 'Migrating from', link: '/migrating/', collapsed: true, items: below('migrating') },
    { text: 'Examples', collapsed: true, items: below('examples') },
    {
      text: 'Background',
      collapsed: true,
      items: [
        { text: 'Overview', link: '/overview' },
        { text: 'Memory model', link: '/memory-model' },
        { text: 'Glossary', link: '/glossary' },
        { text: 'Benchmarks', link: '/benchmarks' },
        { text: 'Semabench', link: '/semabench' },
        { text: "The peers' test suites", link: '/peers' },
        { text: 'Soak', link: '/soak' },
        { text: 'Security', link: '/security' },
        { text: 'Notice', link: '/notice' },
      ],
    },
    {
      text: 'Changing Sluice',
      collapsed: true,
      items: [
        { text: 'Architecture', link: '/architecture' },
        { text: 'Contributing', link: '/contributing' },
        { text: 'A new primitive', link: '/new-primitive' },
        { text: 'Step records', link: '/step-records' },
        { text: 'Crash injection', link: '/crash-injection' },
        { text: 'Decisions', collapsed: true, items: below('decisions') },
      ],
    },
  ];
  return { '/api/': [{ text: 'API', link: '/api/', items: api }], '/': guides };
}
