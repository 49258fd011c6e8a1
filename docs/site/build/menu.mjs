// @ts-check
// The menu beside the pages.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../../../scripts/workspace.mjs';
import { addressOf, places, PRIMITIVES, USUAL } from './places.mjs';

/** @typedef {{ text: string, link?: string, items?: Item[], collapsed?: boolean }} Item */

/**
 * The first heading of a document, without what Markdown marks in it.
 * @param {string} file
 */
const titleOf = (file) =>
  (/^# (.+)$/m.exec(readFileSync(join(root, file), 'utf8'))?.[1] ?? file).replaceAll(/[`*]/g, '');

/**
 * The pages of a folder of the site, in the order in which its index names them. Without an index, in the order of
 * their names.
 * @param {string} folder
 * @returns {Item[]}
 */
function below(folder) {
  const pages = places().filter(({ page }) => page.startsWith(`${folder}/`));
  const index = pages.find(({ page }) => page.endsWith('/index.md'));
  const names = index === undefined ? '' : readFileSync(join(root, index.file), 'utf8');
  return pages
    .filter((page) => page !== index)
    .map(({ file, page }) => ({
      at: names.indexOf(`](${basename(file)})`),
      text: titleOf(file),
      link: addressOf(page),
    }))
    .sort((one, other) => one.at - other.at || (one.link < other.link ? -1 : 1))
    .map(({ text, link }) => ({ text, link }));
}

/** The page of the package, above its other pages. */
const OVER_REDIS = '/primitives/redis';

const primitives = PRIMITIVES.map(([name, text]) => ({ text, link: `/primitives/${name}` }));

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
        { text: 'Threads, processes, machines', link: '/threads-processes-machines' },
        { text: 'How it works', link: '/how-it-works' },
        { text: 'My worker threads hang', link: '/hang' },
        { text: 'Troubleshooting', link: '/troubleshooting' },
        { text: 'Compare', link: '/compare' },
      ],
    },
    { text: 'Primitives', items: primitives.slice(0, USUAL.length) },
    {
      text: 'Primitives for experts',
      collapsed: true,
      items: primitives.slice(USUAL.length).filter(({ link }) => link !== OVER_REDIS),
    },
    { text: 'Over Redis', link: OVER_REDIS, collapsed: true, items: below('redis') },
    { text: 'Recipes', link: '/recipes/', collapsed: true, items: below('recipes') },
    { text: 'Migrating from', link: '/migrating/', collapsed: true, items: below('migrating') },
    { text: 'Examples', collapsed: true, items: below('examples') },
    {
      text: 'Background',
      collapsed: true,
      items: [
        { text: 'Overview', link: '/overview' },
        { text: 'Runtimes', link: '/matrix' },
        { text: 'Bundlers', link: '/bundlers' },
        { text: 'Memory model', link: '/memory-model' },
        { text: 'Glossary', link: '/glossary' },
        { text: 'Benchmarks', link: '/benchmarks' },
        { text: 'Semabench', link: '/semabench' },
        { text: "Faults in the papers' listings", link: '/faults-in-the-papers' },
        { text: 'Features beside other libraries', link: '/features' },
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
        { text: 'Decisions', link: '/decisions/', collapsed: true, items: below('decisions') },
      ],
    },
  ];
  return { '/api/': [{ text: 'API', link: '/api/', items: api }], '/': guides };
}
