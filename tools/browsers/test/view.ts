// The page of a view (@sluice/inspect/view): what it draws, its keys and its tables, and what a page of another origin
// gets.

import { spawn, type ChildProcess } from 'node:child_process';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Tab } from '../src/tab.ts';

const WATCHDOG = { timeout: 60_000, interval: 50 };
const WIDTHS = [1280, 390];
const PROGRAM = fileURLToPath(new URL('../programs/viewed.mjs', import.meta.url));

/** A program that shows itself in a view. */
export class Viewed {
  readonly url: string;
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#process = child;
    this.url = url;
  }

  static async start(...args: readonly string[]): Promise<Viewed> {
    const child = spawn(execPath, [PROGRAM, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.once('data', (text: Buffer) => resolve(text.toString().trim()));
      child.once('exit', (code) => reject(new Error(`the program ended with code ${String(code)}`)));
    });
    return new Viewed(child, url);
  }

  tell(): void {
    this.#process.stdin?.write('\n');
  }

  stop(): void {
    this.#process.kill('SIGKILL');
  }
}

const textOf = (browser: Tab, selector: string): Promise<string> => browser.text(selector).catch(() => '');
const drawing = (browser: Tab): Promise<unknown> =>
  browser.value("document.querySelector('#gates svg')?.getAttribute('aria-label') ?? ''");
/** The names in a table, from the top. */
const namesIn = (browser: Tab, table: string): Promise<unknown> =>
  browser.value(`[...document.querySelectorAll('#${table} tbody th')].map((cell) => cell.innerText)`);
const press = (browser: Tab, key: string): Promise<unknown> =>
  browser.value(`document.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', cancelable: true }))`);
const write = (browser: Tab, text: string): Promise<unknown> =>
  browser.value(
    `(() => { const filter = document.querySelector('#filter'); filter.value = '${text}'; filter.dispatchEvent(new Event('input')); return ''; })()`,
  );

const HOSTILE = '<img src=x onerror="document.title=1">\\u0007\\u202e';

/** What the page draws, also while the main thread of the program blocks for ever. */
export async function seeView(browser: Tab): Promise<void> {
  const program = await Viewed.start('--blocks');
  try {
    for (const width of WIDTHS) {
      await browser.resize(width, 900);
      await browser.visit(program.url);
      await expect
        .poll(() => textOf(browser, '#findings'), WATCHDOG)
        .toContain('Deadlock: 2 agents wait for each other');
      await expect
        .poll(() => drawing(browser), WATCHDOG)
        .toMatch(/accounts: in a deadlock, held by #\d+; waiting: #\d+\./);
      await expect.poll(() => drawing(browser), WATCHDOG).toMatch(/onerror.*: held by #\d+ \(dead\)/);
      await expect.poll(() => drawing(browser), WATCHDOG).toContain('platoons of 2');
      await expect.poll(() => drawing(browser), WATCHDOG).toMatch(/never: waiting: #1\./);
      expect(await namesIn(browser, 'primitives')).toContain(HOSTILE);
      expect(await browser.value('document.title')).toBe('Sluice view');
      expect(await textOf(browser, '#agents tr.dead')).toContain('dead');
      expect(await browser.value("document.querySelectorAll('#agents tr.deadlock').length")).toBe(2);
      expect(
        await browser.value('document.documentElement.scrollWidth - innerWidth'),
        'pixels beyond the window',
      ).toBeLessThanOrEqual(0);
      // Ages go on.
      const waited = (): Promise<string> => textOf(browser, '#agents tr.deadlock td:nth-child(3)');
      const before = await waited();
      await expect.poll(waited, WATCHDOG).not.toBe(before);
      expect(await textOf(browser, '#state')).toBe('Live');
    }
    expect(browser.said()).toEqual([]);
  } finally {
    program.stop();
  }
}

/** Sort, filter, pause and step, by keys and by what a screen reader finds. */
export async function useView(browser: Tab): Promise<void> {
  const program = await Viewed.start();
  try {
    await browser.resize(1280, 900);
    await browser.visit(program.url);
    // The page of the test before asks until now.
    browser.said();
    await expect.poll(() => drawing(browser), WATCHDOG).toMatch(/jobs: held by #1; waiting: #\d+, #\d+, #\d+\./);
    expect(await namesIn(browser, 'primitives')).toEqual([
      HOSTILE,
      'accounts',
      'inner',
      'jobs',
      'log',
      'platoons',
      'turns',
    ]);

    const column = '#primitives thead th:nth-child(4)';
    expect(await textOf(browser, column)).toContain('In line');
    await browser.click(`${column} button`);
    expect(await browser.value(`document.querySelector('${column}').ariaSort`)).toBe('descending');
    expect(await browser.value("document.querySelectorAll('#primitives th[aria-sort]').length")).toBe(1);
    await expect
      .poll(() => namesIn(browser, 'primitives').then((names) => (names as string[])[0]), WATCHDOG)
      .toBe('jobs');

    await write(browser, 'lock #1');
    await expect
      .poll(() => namesIn(browser, 'primitives'), WATCHDOG)
      .toEqual(expect.arrayContaining(['turns', 'inner']));
    expect(await namesIn(browser, 'primitives')).not.toContain('jobs');
    await press(browser, 'Escape');
    await expect.poll(() => namesIn(browser, 'primitives'), WATCHDOG).toContain('jobs');
    await press(browser, '/');
    expect(await browser.value('document.activeElement.id')).toBe('filter');
    await browser.value('document.activeElement.blur()');

    await press(browser, 'p');
    expect(await textOf(browser, '#state')).toBe('Paused');
    expect(await browser.value("document.querySelector('#pause').ariaPressed")).toBe('true');
    // A frame that was on its way has arrived by then.
    await expect
      .poll(
        () => browser.value('performance.getEntriesByType("resource").every(({ responseEnd }) => responseEnd > 0)'),
        WATCHDOG,
      )
      .toBe(true);
    const frames = (): Promise<unknown> => browser.value('performance.getEntriesByType("resource").length');
    const [before, asked] = [await drawing(browser), await frames()];
    program.tell();
    expect([await drawing(browser), await frames()]).toEqual([before, asked]);
    // The semaphore's line moves on before the program answers.
    await expect
      .poll(async () => {
        await press(browser, 's');
        return drawing(browser);
      }, WATCHDOG)
      .not.toContain('jobs: held by #1; ');
    expect(await textOf(browser, '#state')).toBe('Paused');
    await press(browser, 'p');
    await expect.poll(() => textOf(browser, '#state'), WATCHDOG).toBe('Live');

    // What a screen reader has: names of tables, heads of rows and columns, a state and findings that speak.
    const found = (selector: string): Promise<unknown> =>
      browser.value(`document.querySelectorAll('${selector}').length`);
    expect(await found('table caption')).toBe(2);
    expect(await found('th:not([scope])')).toBe(0);
    expect(await found('[role=status]')).toBe(2);
    expect(await found('button:not([type=button])')).toBe(0);
    expect(await textOf(browser, '#heads')).toMatch(/^Deadlock: 2 agents wait for each other/);

    expect(browser.said()).toEqual([]);
    program.tell();
    await expect.poll(() => textOf(browser, '#state'), WATCHDOG).toMatch(/^The program does not answer/);
  } finally {
    program.stop();
    browser.said();
  }
}

/** What a page of another origin gets, even if it knows the token. `elsewhere`: such a page. */
export async function attackView(browser: Tab, elsewhere: string): Promise<void> {
  const program = await Viewed.start('--blocks');
  try {
    await browser.visit(elsewhere);
    const url = JSON.stringify(`${program.url}frame`);
    const outcome = (call: string): Promise<unknown> =>
      browser.value(`${call}.then((answer) => 'read: ' + answer, (failure) => failure.name)`);
    expect(await outcome(`fetch(${url}).then((response) => response.text())`)).toBe('TypeError');
    expect(await outcome(`fetch(${url}, { mode: 'no-cors' }).then((response) => response.text())`)).toBe('TypeError');
    expect(
      await outcome(
        `fetch(${url}, { method: 'POST', mode: 'no-cors', body: 'x'.repeat(1e6) }).then((response) => response.text())`,
      ),
    ).toBe('TypeError');
    const loads = (tag: string, source: string): string =>
      `new Promise((resolve) => { const it = document.createElement('${tag}'); it.onload = () => resolve('loaded'); it.onerror = () => resolve('refused'); it.src = ${source}; document.body.append(it); })`;
    expect(await browser.value(loads('script', JSON.stringify(`${program.url}page.js`)))).toBe('refused');
    expect(await browser.value(loads('img', JSON.stringify(program.url)))).toBe('refused');
    // The view itself goes on.
    expect((await fetch(`${program.url}frame`)).status).toBe(200);
  } finally {
    program.stop();
    browser.said();
  }
}
