// Starts an installed browser without a window, with one tab.

import { launch, type Browser as Puppet, type Page } from 'puppeteer-core';
import { programsOf, type BrowserName } from './installed.mjs';
import type { Tab } from './tab.ts';
import { WebKit } from './webkit.ts';

/** As root, and without what a browser does in the background. */
const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Chromium over its own protocol, Firefox over WebDriver BiDi. */
class Puppeteer implements Tab {
  readonly version: string;
  readonly #puppet: Puppet;
  readonly #page: Page;
  #said: string[] = [];

  private constructor(puppet: Puppet, page: Page, version: string) {
    this.#puppet = puppet;
    this.#page = page;
    this.version = version;
    page.on('console', (message) => this.#said.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (failure) => this.#said.push(`error: ${String(failure)}`));
  }

  static async start(name: 'chromium' | 'firefox', executablePath: string): Promise<Puppeteer> {
    const puppet =
      name === 'chromium'
        ? await launch({ browser: 'chrome', executablePath, headless: true, args: CHROMIUM_ARGS })
        : await launch({ browser: 'firefox', executablePath, headless: true });
    const [page = await puppet.newPage()] = await puppet.pages();
    return new Puppeteer(puppet, page, await puppet.version());
  }

  async visit(url: string): Promise<void> {
    await this.#page.goto(url, { waitUntil: 'domcontentloaded' });
  }

  said(): string[] {
    return this.#said.splice(0);
  }

  text(selector = 'body'): Promise<string> {
    return this.#page.$eval(selector, (element) => (element as HTMLElement).innerText);
  }

  async click(selector: string): Promise<void> {
    await this.#page.click(selector);
  }

  value(expression: string): Promise<unknown> {
    return this.#page.evaluate(expression);
  }

  async resize(width: number, height: number): Promise<void> {
    // Firefox 140 sets the size, and does not know the orientation that puppeteer sends beside it.
    await this.#page.setViewport({ width, height }).catch((failure: unknown) => {
      if (!String(failure).includes('unknown command emulation.setScreenOrientationOverride')) throw failure;
    });
    await this.#page.waitForFunction(`innerWidth === ${width}`);
  }

  close(): Promise<void> {
    return this.#puppet.close();
  }
}

/**
 * Starts a browser that is installed. `isShared`: whether WebKitGTK has `SharedArrayBuffer`; in the others the headers
 * of a page decide.
 */
export function startBrowser(name: BrowserName, isShared = true): Promise<Tab> {
  const [program = '', display = ''] = programsOf(name) ?? [];
  return name === 'webkit' ? WebKit.start(program, display, isShared) : Puppeteer.start(name, program);
}
