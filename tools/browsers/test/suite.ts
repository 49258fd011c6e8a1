// One browser runs every case.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBrowser } from '../src/browser.ts';
import { howToInstall, programsOf, type BrowserName } from '../src/installed.mjs';
import { TestServer, type Mode } from '../src/server.ts';
import type { Tab } from '../src/tab.ts';
import { caseNames } from '../../cases/src/names.mjs';
import { runDemo } from './demo.ts';
import type { Result } from '../../cases/src/main.ts';
import type { Visit } from '../../cases/src/tools.ts';
import { startExample } from './example.ts';
import { attackView, seeView, useView } from './view.ts';

const MAX_START_MS = 120_000;
/** A watchdog: a case takes up to some seconds. */
const MAX_MS = 120_000;
/** Six scenes. */
const MAX_DEMO_MS = 300_000;
const WATCHDOG = { timeout: MAX_MS / 2, interval: 100 };

interface Options {
  readonly mode?: Mode;
  /** One file with everything, or the files of each package. */
  readonly build?: 'one' | 'files';
  readonly js?: boolean;
  /** Without an arena of the page's own. */
  readonly bare?: boolean;
}

let visits = 0;

async function visit(
  server: TestServer,
  browser: Tab,
  name: string,
  { mode = 'isolated', build = 'files', js = false, bare = false }: Options,
): Promise<unknown> {
  const id = String(++visits);
  const parameters = new URLSearchParams({
    id,
    visit: JSON.stringify({ case: name, build, js, bare } satisfies Visit),
  });
  const answer = server.resultOf(id);
  await browser.visit(server.urlOf(mode, `browsers/pages/page.html?${parameters.toString()}`));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no result. The console: ${browser.said().join('\n')}`)), MAX_MS - 5000);
  });
  const result = JSON.parse(await Promise.race([answer, late])) as Result;
  clearTimeout(timer);
  if ('failed' in result) throw new Error(`${name}: ${result.failed}\n${browser.said().join('\n')}`);
  return result.returned;
}

/** Those of Node.js alone, and those that have a test of their own below. */
const OTHERS = ['pool', 'headers', 'policy', 'copies', 'kills'];
/** Every primitive, with a payload that shows a lost or doubled value. */
const PRIMITIVES = caseNames().filter((name) => !OTHERS.includes(name));

export function suite(name: BrowserName): void {
  const isThere = programsOf(name) !== undefined;
  if (!isThere) console.warn(howToInstall([name]));
  describe.skipIf(!isThere)(name, () => {
    const server = new TestServer();
    let browser: Tab;
    const run = (what: string, options: Options = {}): Promise<unknown> => visit(server, browser, what, options);

    beforeAll(async () => {
      await server.start();
      browser = await startBrowser(name);
      console.log(`${name}: ${browser.version}`);
    }, MAX_START_MS);

    afterAll(async () => {
      await browser.close();
      server.stop();
    });

    test.each(PRIMITIVES)('%s: workers and the page use it together', { timeout: MAX_MS }, async (primitive) => {
      await expect(run(primitive)).resolves.toBeNull();
    });

    test.each(['mutex', 'buffer', 'select', 'interval', 'names', 'once'])(
      '%s: the one file does the same',
      { timeout: MAX_MS },
      async (primitive) => {
        await expect(run(primitive, { build: 'one' })).resolves.toBeNull();
      },
    );

    test.each(PRIMITIVES)(
      '%s: under a policy that forbids WebAssembly the kernel in TypeScript does the same',
      { timeout: MAX_MS },
      async (primitive) => {
        await expect(run(primitive, { mode: 'nowasm', js: true })).resolves.toBeNull();
      },
    );

    test.each(['mutex', 'buffer'])(
      '%s: under that policy the two files do the same',
      { timeout: MAX_MS },
      async (primitive) => {
        await expect(run(primitive, { mode: 'nowasm', build: 'one', js: true })).resolves.toBeNull();
      },
    );

    test('under a policy that forbids WebAssembly an error names jsEngine', { timeout: MAX_MS }, async () => {
      await expect(run('policy', { mode: 'nowasm', bare: true })).resolves.toBeNull();
    });

    test('without the two headers the errors of all calls that create or open an object name both', {
      timeout: MAX_MS,
    }, async () => {
      const unshared = name === 'webkit' ? await startBrowser(name, false) : browser;
      try {
        await expect(visit(server, unshared, 'headers', { mode: 'plain', bare: true })).resolves.toBeNull();
      } finally {
        if (unshared !== browser) await unshared.close();
      }
    });

    test('two copies in one page: an instance of the other is refused, and a handle opens', {
      timeout: MAX_MS,
    }, async () => {
      await expect(run('copies')).resolves.toBeNull();
    });

    test('the example page counts all primes, also when a worker is stopped', { timeout: MAX_MS }, async () => {
      const example = await startExample();
      try {
        await browser.visit(example.url);
        await expect.poll(() => browser.text(), WATCHDOG).toContain('148933 primes in 100 of 100 ranges');
        await browser.visit(example.url);
        await expect.poll(() => browser.text(), WATCHDOG).toContain('4 workers run.');
        await browser.click('button');
        await expect.poll(() => browser.text(), WATCHDOG).toMatch(/ primes in \d+ of 100 ranges/);
        await expect.poll(() => browser.text(), WATCHDOG).toMatch(/Worker \d+ was stopped/);
      } finally {
        example.stop();
      }
    });

    test('the live demo: every scene runs and stops, and a killed worker is recovered from', {
      timeout: MAX_DEMO_MS,
    }, async () => {
      browser.said();
      await expect(runDemo(browser, true)).resolves.toEqual([]);
    });

    // WebKitGTK has `SharedArrayBuffer` by a setting, whatever the headers: there is nothing for a service worker to
    // do.
    test.skipIf(name === 'webkit')(
      'the live demo runs behind a server without the headers',
      { timeout: MAX_DEMO_MS },
      async () => {
        browser.said();
        await expect(runDemo(browser, false)).resolves.toEqual([]);
      },
    );

    test('the view draws a deadlock, a dead agent, turns and platoons, at two widths, while the main thread blocks', {
      timeout: MAX_MS,
    }, async () => {
      browser.said();
      await seeView(browser);
    });

    test('the view sorts, filters, pauses and steps, by keys, and says when the program has ended', {
      timeout: MAX_MS,
    }, async () => {
      browser.said();
      await useView(browser);
    });

    test('a page of another origin gets nothing of a view, even with its token', { timeout: MAX_MS }, async () => {
      await attackView(browser, server.urlOf('plain', 'browsers/pages/page.html'));
    });

    test('what terminated workers held comes back to waiters on the page', { timeout: MAX_MS }, async () => {
      const times = (await run('kills')) as Record<string, number>;
      console.log(
        `${name}: ${Object.entries(times)
          .map(([what, ms]) => `${what} was found dead after ${ms} ms`)
          .join(', ')}`,
      );
    });
  });
}
