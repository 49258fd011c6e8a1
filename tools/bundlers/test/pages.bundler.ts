// The page of each recipe, built as docs/bundlers.md says, in Chromium.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBrowser } from '../../browsers/src/browser.ts';
import type { Tab } from '../../browsers/src/tab.ts';
import { howToInstall, programsOf } from '../../browsers/src/installed.mjs';
import { runScript, startServer } from '../src/script.ts';
import { addCases, installBundlers, makeProject } from '../src/web-projects.ts';
import { caseNames } from '../../cases/src/names.mjs';

const MAX_INSTALL_MS = 300_000;
const MAX_MS = 120_000;
const WATCHDOG = { timeout: MAX_MS / 4, interval: 100 };
const RIGHT = '2 workers added 1000 numbers: 500500';
const RIGHT_BY_CALLS = '10 calls added 1000 numbers: 500500';
const RIGHT_BY_TASKS = '100 tasks added 328350; RangeError: no root of -1; 1 worker died';

/** Cases that need Node.js, another policy of the page, another copy of the packages, or a package of others. */
const NOT_BUNDLED = ['pool', 'headers', 'policy', 'copies', 'msgpack'];

const isThere = programsOf('chromium') !== undefined;
if (!isThere) console.warn(howToInstall(['chromium']));

describe.skipIf(!isThere)('a page with two workers', () => {
  let browser: Tab;

  beforeAll(async () => {
    installBundlers();
    browser = await startBrowser('chromium');
  }, MAX_INSTALL_MS);
  afterAll(() => browser.close());

  async function shows(project: string, script: string, takesOption: boolean, right = RIGHT): Promise<void> {
    const server = await startServer(project, script, takesOption);
    try {
      await browser.visit(server.url);
      await expect.poll(() => browser.text(), WATCHDOG).toMatch(/added|failed/);
      expect(await browser.text(), `${server.printed()}\n${browser.said().join('\n')}`).toBe(right);
    } finally {
      await server.stop();
    }
  }

  test.each([
    ['esbuild', ['app', 'esbuild', 'static'], false],
    ['Rollup', ['app', 'rollup', 'static'], false],
    ['Vite', ['app', 'vite'], true],
    ['webpack', ['app', 'webpack', 'static'], false],
    ['Next.js', ['app', 'next'], true],
  ])('built with %s adds all numbers', { timeout: MAX_MS }, async (name, folders, takesOption) => {
    const project = makeProject(`${name}-build`, folders);
    await runScript(project, 'build');
    await shows(project, 'start', takesOption);
  });

  test.each([
    ['Vite', ['app', 'vite']],
    ['webpack', ['app', 'webpack']],
    ['Next.js', ['app', 'next']],
  ])('served by %s in development adds all numbers', { timeout: MAX_MS }, async (name, folders) => {
    await shows(makeProject(`${name}-dev`, folders), 'dev', true);
  });

  test.each([
    ['called by Comlink', 'comlink', RIGHT_BY_CALLS],
    ['a pool, of which one is terminated,', 'pool', RIGHT_BY_TASKS],
  ])('a page whose workers are %s adds all numbers', { timeout: MAX_MS }, async (_, folder, right) => {
    const project = makeProject(folder, ['vite', folder]);
    await runScript(project, 'build');
    await shows(project, 'start', true, right);
  });

  // A bundler leaves out what it takes for unused: nothing that a primitive or its recovery needs may be among that.
  test('built with Vite from all packages runs every case of the browsers', { timeout: 2 * MAX_MS }, async () => {
    const project = makeProject('cases', ['vite', 'cases']);
    addCases(project);
    await runScript(project, 'build');
    const names = caseNames().filter((name) => !NOT_BUNDLED.includes(name));
    const server = await startServer(project, 'start', true);
    try {
      await browser.visit(`${server.url}?cases=${names.join('+')}`);
      await expect.poll(() => browser.text(), { timeout: MAX_MS, interval: 500 }).toMatch(/passed|failed/);
      expect(await browser.text(), browser.said().join('\n')).toBe(`${names.length} cases passed`);
    } finally {
      await server.stop();
    }
  });
});
