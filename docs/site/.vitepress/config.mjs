import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { env } from 'node:process';
import { anchorOf } from '../build/anchor.mjs';
import { menu } from '../build/menu.mjs';
import { indexedText } from '../build/search.mjs';

const file = (path) => fileURLToPath(new URL(path, import.meta.url));
const apiMenu = file('../.cache/pages/api/typedoc-sidebar.json');
const origin = env.SITE_ORIGIN ?? '';
const { version } = JSON.parse(readFileSync(file('../../../packages/sluice/package.json'), 'utf8'));

export default {
  title: 'Sluice',
  description: 'Fair synchronization primitives for JavaScript threads over shared memory',
  lang: 'en',
  base: env.SITE_BASE ?? '/',
  srcDir: '.cache/pages',
  cacheDir: '.cache/vitepress',
  cleanUrls: true,
  lastUpdated: false,
  // The menus once for all pages, not within each.
  metaChunk: true,
  // The headers that give a page shared memory: its examples run in a browser where the host sends them, too.
  vite: {
    server: {
      headers: { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' },
    },
  },
  head: [
    ['link', { rel: 'icon', href: `${env.SITE_BASE ?? '/'}logo.svg` }],
    ['meta', { name: 'theme-color', content: '#0b7285' }],
  ],
  markdown: {
    theme: { light: 'github-light', dark: 'github-dark-default' },
    languageAlias: { mjs: 'js' },
    anchor: { slugify: anchorOf },
    toc: { slugify: anchorOf },
    headers: { slugify: anchorOf },
  },
  themeConfig: {
    logo: '/logo.svg',
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Choosing', link: '/choosing' },
      { text: 'Recipes', link: '/recipes/' },
      { text: 'API', link: '/api/' },
      // Not a page of the site: the router leaves it alone.
      { text: 'Live', link: '/demo/', target: '_self', noIcon: true },
    ],
    sidebar: menu(existsSync(apiMenu) ? JSON.parse(readFileSync(apiMenu, 'utf8')) : []),
    outline: { level: [2, 3] },
    search: {
      provider: 'local',
      // Guides first, then the API, then what was decided and why.
      options: {
        _render: (source, env, md) => indexedText(md.render(source, env), env.relativePath),
        miniSearch: {
          searchOptions: { boostDocument: (id) => (/\/decisions\//.test(id) ? 0.2 : /\/api\//.test(id) ? 0.5 : 1) },
        },
      },
    },
    docFooter: { prev: 'Previous', next: 'Next' },
    externalLinkIcon: true,
    ...(origin === '' || new URL(origin).hostname.endsWith('.example')
      ? {}
      : { socialLinks: [{ icon: 'github', link: origin }] }),
    footer: { message: `Version ${version}. MIT licence` },
  },
};
