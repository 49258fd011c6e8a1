// The live demo page of examples/live-demo: each scene starts when it comes into view, has its code, draws its workers,
// makes progress and stops, and the last one recovers from a death. No scene makes the page wider than the window.

import { expect } from 'vitest';
import type { Tab } from '../src/tab.ts';
import { startServer } from './example.ts';

const WATCHDOG = { timeout: 60_000, interval: 100 };
/** Width and height, in CSS pixels. */
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };
const SCENES = ['fair', 'turns', 'capacitor', 'philosophers', 'buffer', 'killed'];

/** Runs each scene. Returns what the page wrote to the console. */
export async function runDemo(browser: Tab, withHeaders: boolean): Promise<string[]> {
  const { url, stop } = await startServer('live-demo/serve.mjs', withHeaders ? [] : ['--no-headers']);
  try {
    const { width, height } = withHeaders ? PHONE : DESKTOP;
    await browser.resize(width, height);
    await browser.visit(url);
    // Without the headers the page loads twice.
    await expect.poll(() => textOf(browser, '#killed .state'), WATCHDOG).toBe('Runs when in view');
    for (const scene of SCENES) await runScene(browser, scene);
    return browser.said();
  } finally {
    stop();
  }
}

async function runScene(browser: Tab, scene: string): Promise<void> {
  const total = async (): Promise<number> => numberOf(await textOf(browser, `#${scene} [data-total]`));
  const state = (): Promise<string> => textOf(browser, `#${scene} .state`);
  await browser.value(`document.querySelector('#${scene}').scrollIntoView({ block: 'center', behavior: 'instant' })`);
  await expect.poll(total, { ...WATCHDOG, message: scene }).toBeGreaterThan(0);
  expect(await state()).toBe('Running');
  expect(await textOf(browser, `#${scene} .code pre`)).toMatch(/^\/\/ page\.js\nimport .*[^]*\/\/ worker\.js\nimport /);
  await expect
    .poll(() => browser.value(drawnWorkers(scene)), { ...WATCHDOG, message: `${scene}: workers in its picture` })
    .toBeGreaterThan(0);
  expect(
    await browser.value('document.documentElement.scrollWidth - innerWidth'),
    `${scene}: pixels beyond the window`,
  ).toBeLessThanOrEqual(0);
  const before = await total();
  await expect.poll(total, WATCHDOG).toBeGreaterThan(before);
  if (scene === 'killed') await killOwner(browser);
  await browser.click(`#${scene} [data-action=toggle]`);
  await expect.poll(state, { ...WATCHDOG, message: `${scene} after its stop` }).toBe('Stopped');
  const stopped = await total();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await total(), `${scene}: passes after its stop`).toBe(stopped);
  if (scene === 'killed') expect(await textOf(browser, '#killed [data-sum]')).toBe('1000');
}

/** `12,345` or `1.23M`, as the page writes numbers. */
const numberOf = (text: string): number => Number(text.replaceAll(/[,M]/g, '')) * (text.endsWith('M') ? 1_000_000 : 1);

/** How many drawings of the scene name a worker, and have a size. */
const drawnWorkers = (scene: string): string =>
  `[...document.querySelectorAll('#${scene} svg')].filter((svg) => /\\bW\\d/.test(svg.getAttribute('aria-label')) && svg.clientWidth > 100 && svg.clientHeight > 20).length`;

async function killOwner(browser: Tab): Promise<void> {
  await browser.click('#killed [data-action=kill]');
  await expect.poll(() => textOf(browser, '#killed .log'), WATCHDOG).toContain('A new worker took the place');
  await expect.poll(() => textOf(browser, '#killed .log'), WATCHDOG).toContain('repaired the accounts');
  await expect.poll(() => textOf(browser, '#killed [data-repairs]'), WATCHDOG).toBe('1 ×');
}

/** While the page loads, the element is not there yet. */
async function textOf(browser: Tab, selector: string): Promise<string> {
  return browser.text(selector).catch(() => '');
}
